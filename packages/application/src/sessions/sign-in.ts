import {
  type AccessToken,
  isLive,
  isOperator,
  makeSecret,
  Refusal,
  SESSION_LIFETIME,
  type Session,
  SIGN_IN_CODE_LIFETIME,
} from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import { authenticateText } from '../tokens/authenticate.ts';

export type Credentials = { readonly token: string } | { readonly code: string };

export interface SignIn {
  readonly token: AccessToken;
  /** Beginning the session uses it up; null without a code. */
  readonly codeHash: string | null;
}

/**
 * @throws Refusal `unauthenticated` for an invalid token, and for a code that is unknown, used, expired or of such a
 * token, and for an operator's
 */
export async function checkCredentials(
  ports: Pick<Ports, 'sessions' | 'sessionSecrets' | 'signer' | 'tokens' | 'clock'>,
  credentials: Credentials,
): Promise<SignIn> {
  if ('token' in credentials) return signIn(await authenticateText(ports, credentials.token), null);
  const codeHash = ports.sessionSecrets.hashOf(credentials.code);
  const code = codeHash === null ? null : await ports.sessions.findCode(codeHash);
  const now = ports.clock.now();
  const token = code && now < code.expiresAt && (await ports.tokens.find(code.tokenId));
  if (!token || !isLive(token, now)) throw new Refusal({ code: 'unauthenticated' });
  return signIn(token, codeHash);
}

/** An operator's token has nothing to see in the library, and a cookie must not run the service. */
function signIn(token: AccessToken, codeHash: string | null): SignIn {
  if (isOperator(token)) throw new Refusal({ code: 'unauthenticated' });
  return { token, codeHash };
}

/**
 * @param name null: the name of the token
 * @param replaced the secret of the browser's previous session, which ends; null if it had none
 * @returns the session and its secret, which is stored nowhere
 * @throws Refusal `unauthenticated` if the code was used meanwhile
 */
export async function beginSession(
  { sessions, sessionSecrets, clock, ids }: Pick<Ports, 'sessions' | 'sessionSecrets' | 'clock' | 'ids'>,
  { token, codeHash }: SignIn,
  name: string | null,
  replaced: string | null,
): Promise<{ readonly session: Session; readonly secret: string }> {
  const { secret, hash } = makeSecret(sessionSecrets);
  const createdAt = clock.now();
  const session: Session = {
    id: ids.next(),
    tokenId: token.id,
    name: name ?? token.name,
    createdAt,
    expiresAt: Math.min(createdAt + SESSION_LIFETIME, token.expiresAt),
    lastUsedAt: null,
  };
  const replacedHash = replaced === null ? null : sessionSecrets.hashOf(replaced);
  const isBegun = await sessions.insert(session, { hash, codeHash, replacedHash });
  if (!isBegun) throw new Refusal({ code: 'unauthenticated' });
  return { session, secret };
}

/** The text is returned once and stored nowhere. */
export async function issueSignInCode(
  { sessions, sessionSecrets, clock, ids }: Pick<Ports, 'sessions' | 'sessionSecrets' | 'clock' | 'ids'>,
  token: AccessToken,
): Promise<string> {
  const { secret, hash } = makeSecret(sessionSecrets);
  const expiresAt = Math.min(clock.now() + SIGN_IN_CODE_LIFETIME, token.expiresAt);
  await sessions.insertCode({ id: ids.next(), hash, tokenId: token.id, expiresAt });
  return secret;
}
