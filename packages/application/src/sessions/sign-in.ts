import {
  type AccessToken,
  isLive,
  isOperator,
  makeSecret,
  type ProvenIdentity,
  Refusal,
  SESSION_LIFETIME,
  type Session,
  type SessionGrounds,
  SIGN_IN_CODE_LIFETIME,
} from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import { authenticateText } from '../tokens/authenticate.ts';
import { type Authenticated, authenticatedAs, authenticatedBy } from './sessions.ts';

export type Credentials = { readonly token: string } | { readonly code: string };

export interface SignIn {
  readonly who: Omit<Authenticated, 'session'>;
  readonly grounds: SessionGrounds;
}

/**
 * Checks a token or a code.
 *
 * @throws Refusal `unauthenticated` if the token is invalid or an operator's, or the code is unknown, used, expired or
 *   issued for an operator's token
 */
export async function checkCredentials(
  ports: Pick<Ports, 'sessions' | 'sessionSecrets' | 'signer' | 'tokens' | 'people' | 'clock'>,
  credentials: Credentials,
): Promise<SignIn> {
  if ('token' in credentials) return signInByToken(await authenticateText(ports, credentials.token), null);
  const hash = ports.sessionSecrets.hashOf(credentials.code);
  const now = ports.clock.now();
  const code = hash === null ? null : await ports.sessions.findCode(hash);
  if (code) {
    const token = now < code.expiresAt && (await ports.tokens.find(code.tokenId));
    if (token && isLive(token, now)) return signInByToken(token, hash);
  }
  const invited = hash === null ? null : await ports.people.findInvited(hash);
  if (hash === null || !invited || now >= (invited.invitationExpiresAt ?? 0)) {
    throw new Refusal({ code: 'unauthenticated' });
  }
  return { who: authenticatedAs([invited], null), grounds: { kind: 'invitation', hash } };
}

/** Refuses operators' tokens: they can read nothing in the library, and a cookie must not administer the service. */
function signInByToken(token: AccessToken, codeHash: string | null): SignIn {
  if (isOperator(token)) throw new Refusal({ code: 'unauthenticated' });
  return { who: authenticatedBy(token, null), grounds: { kind: 'token', codeHash } };
}

/**
 * Signs in the people who have an identity. Before that, binds the identity to people who were invited with its
 * verified e-mail address. Creates no people.
 *
 * @returns null if nobody has the identity
 */
export async function signInByProvider(
  { people, clock }: Pick<Ports, 'people' | 'clock'>,
  { issuer, subject, email }: ProvenIdentity,
): Promise<SignIn | null> {
  const identity = { issuer, subject };
  const [first, ...others] = await people.bind(identity, email, clock.now());
  if (!first) return null;
  return { who: authenticatedAs([first, ...others], null), grounds: { kind: 'identity', identity } };
}

/** Returns the name of a session if the browser gives none. */
const nameOf = ({ token, people }: Pick<Authenticated, 'token' | 'people'>): string =>
  token?.name ?? people[0]?.name ?? '';

/**
 * Starts a session.
 *
 * @param name null for the name of the token or person
 * @param replaced the secret of the browser's previous session, which ends; null if it had none
 * @returns the session and its secret, which isn't stored anywhere
 * @throws Refusal `unauthenticated` if the code was used meanwhile, or the person removed
 */
export async function startSession(
  { sessions, sessionSecrets, clock, ids }: Pick<Ports, 'sessions' | 'sessionSecrets' | 'clock' | 'ids'>,
  { who, grounds }: SignIn,
  name: string | null,
  replaced: string | null,
): Promise<{ readonly session: Session; readonly secret: string }> {
  const { secret, hash } = makeSecret(sessionSecrets);
  const createdAt = clock.now();
  const session: Session = {
    id: ids.next(),
    tokenId: who.token?.id ?? null,
    name: name ?? nameOf(who),
    createdAt,
    expiresAt: Math.min(createdAt + SESSION_LIFETIME, who.token?.expiresAt ?? Number.POSITIVE_INFINITY),
    lastUsedAt: null,
  };
  const replacedHash = replaced === null ? null : sessionSecrets.hashOf(replaced);
  const isStored = await sessions.insert(session, { hash, grounds, replacedHash });
  if (!isStored) throw new Refusal({ code: 'unauthenticated' });
  return { session, secret };
}

/** Issues a sign-in code, which is returned once and not stored anywhere. */
export async function issueSignInCode(
  { sessions, sessionSecrets, clock, ids }: Pick<Ports, 'sessions' | 'sessionSecrets' | 'clock' | 'ids'>,
  token: AccessToken,
): Promise<string> {
  const { secret, hash } = makeSecret(sessionSecrets);
  const expiresAt = Math.min(clock.now() + SIGN_IN_CODE_LIFETIME, token.expiresAt);
  await sessions.insertCode({ id: ids.next(), hash, tokenId: token.id, expiresAt });
  return secret;
}
