import {
  type Access,
  type AccessToken,
  accessOfPeople,
  accessOfToken,
  isLive,
  isOperator,
  notFound,
  type PageRequest,
  type Person,
  parseUuid,
  Refusal,
  type Rows,
  type Session,
  type SessionHolder,
  sliceOf,
} from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import { pruneInBatches } from '../prune-in-batches.ts';

/** The sender of a request. Operations use only `access`. */
export interface Authenticated {
  readonly access: Access;
  /** null for people. */
  readonly token: AccessToken | null;
  /** The sender as a person of each workspace that the sender belongs to; empty for tokens. */
  readonly people: readonly Person[];
  /** null if the token itself was sent. */
  readonly session: Session | null;
}

export const authenticatedAs = (people: readonly [Person, ...Person[]], session: Session | null): Authenticated => ({
  access: accessOfPeople(people),
  token: null,
  people,
  session,
});

export const authenticatedBy = (token: AccessToken, session: Session | null): Authenticated => ({
  access: accessOfToken(token),
  token,
  people: [],
  session,
});

/**
 * Finds the sender of a request by the session secret that the request contains. The session is read for each request,
 * so that an ended session, a revoked token, a removed person or a changed role takes effect immediately in every
 * process.
 *
 * @throws Refusal `unauthenticated`
 */
export async function authenticateSession(
  ports: Pick<Ports, 'sessions' | 'sessionSecrets' | 'tokens' | 'people' | 'clock'>,
  secret: string,
): Promise<Authenticated> {
  const hash = ports.sessionSecrets.hashOf(secret);
  const session = hash === null ? null : await ports.sessions.find(hash);
  const now = ports.clock.now();
  if (!session || now >= session.expiresAt) throw new Refusal({ code: 'unauthenticated' });
  if (session.tokenId !== null) {
    const token = await ports.tokens.find(session.tokenId);
    if (!token || !isLive(token, now) || isOperator(token)) throw new Refusal({ code: 'unauthenticated' });
    return authenticatedBy(token, session);
  }
  const [first, ...others] = await ports.people.ofSession(session.id);
  if (!first) throw new Refusal({ code: 'unauthenticated' });
  return authenticatedAs([first, ...others], session);
}

const holderOf = ({ token, people }: Pick<Authenticated, 'token' | 'people'>): SessionHolder =>
  token ? { tokenId: token.id } : { people: people.map(({ id }) => id) };

export const listSessions = (
  { sessions, clock }: Pick<Ports, 'sessions' | 'clock'>,
  caller: Pick<Authenticated, 'token' | 'people'>,
  page: PageRequest,
): Promise<Rows<Session>> => sessions.list(holderOf(caller), clock.now(), sliceOf(page));

/** Ends a session of the caller. @throws Refusal `not_found`, also for sessions of other callers */
export async function endSession(
  { sessions }: Pick<Ports, 'sessions'>,
  caller: Pick<Authenticated, 'token' | 'people'>,
  id: string,
): Promise<void> {
  const uuid = parseUuid(id);
  if (!uuid || !(await sessions.end(holderOf(caller), uuid))) throw notFound();
}

/** Prunes expired sessions; the sessions of a token are removed when it is revoked. Returns how many were removed. */
export const pruneSessions = (
  { sessions, clock }: Pick<Ports, 'sessions' | 'clock'>,
  signal?: AbortSignal,
): Promise<number> => pruneInBatches((limit) => sessions.prune(clock.now(), limit), signal);
