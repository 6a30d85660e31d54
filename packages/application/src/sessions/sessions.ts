import {
  type AccessToken,
  isLive,
  isOperator,
  notFound,
  type PageRequest,
  parseUuid,
  Refusal,
  type Rows,
  type Session,
  sliceOf,
} from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import { reapInBatches } from '../reap-in-batches.ts';

/**
 * The session of a secret, and its token, read each time, so that an ended session or a revoked token is refused at
 * once in every process.
 *
 * @throws Refusal `unauthenticated`
 */
export async function authenticateSession(
  ports: Pick<Ports, 'sessions' | 'sessionSecrets' | 'tokens' | 'clock'>,
  secret: string,
): Promise<{ readonly session: Session; readonly token: AccessToken }> {
  const hash = ports.sessionSecrets.hashOf(secret);
  const session = hash === null ? null : await ports.sessions.find(hash);
  const now = ports.clock.now();
  const token = session && now < session.expiresAt && (await ports.tokens.find(session.tokenId));
  if (!token || !isLive(token, now) || isOperator(token)) throw new Refusal({ code: 'unauthenticated' });
  return { session, token };
}

export const listSessions = (
  { sessions, clock }: Pick<Ports, 'sessions' | 'clock'>,
  token: AccessToken,
  page: PageRequest,
): Promise<Rows<Session>> => sessions.list(token.id, clock.now(), sliceOf(page));

/** @throws Refusal `not_found`, also for sessions of other tokens */
export async function endSession({ sessions }: Pick<Ports, 'sessions'>, token: AccessToken, id: string): Promise<void> {
  const uuid = parseUuid(id);
  if (!uuid || !(await sessions.remove(token.id, uuid))) throw notFound();
}

/** Those of a revoked token go with it. Returns how many. */
export const reapSessions = (
  { sessions, clock }: Pick<Ports, 'sessions' | 'clock'>,
  signal?: AbortSignal,
): Promise<number> => reapInBatches((limit) => sessions.reap(clock.now(), limit), signal);
