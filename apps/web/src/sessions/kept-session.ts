import type { Me } from '../service/service.ts';

/** The session whose pages are mounted. */
export interface KeptSession {
  readonly me: Me;
  /**
   * `ended`: the pages are covered until somebody signs in. `replaced`: somebody else did, who must not see what was
   * typed.
   */
  readonly state: 'active' | 'ended' | 'replaced';
}

/**
 * Returns the session to keep after the service has said who is signed in. A session that ends by itself is kept, so
 * that what was typed is still there after signing in again.
 *
 * @param me null if nobody is signed in; undefined while that isn't known
 */
export function keepSession(was: KeptSession | null, me: Me | null | undefined): KeptSession | null {
  if (me === undefined) return null;
  if (me === null) return was && inState(was, 'ended');
  if (was === null) return { me, state: 'active' };
  if (was.state !== 'active' && !mayContinue(was.me, me)) return inState(was, 'replaced');
  return was.me === me ? inState(was, 'active') : { me, state: 'active' };
}

/** Returns the same object if the state is the same, because a new one makes React render again. */
const inState = (session: KeptSession, state: KeptSession['state']): KeptSession =>
  session.state === state ? session : { ...session, state };

/** Whether a session is the same person's, or a token's that enters the same workspaces. */
const mayContinue = (ended: Me, begun: Me): boolean =>
  ended.person?.name === begun.person?.name &&
  ended.workspaces.every(({ id }) => begun.workspaces.some((other) => other.id === id));
