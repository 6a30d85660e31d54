import { type AccessToken, LAST_USED_GRANULARITY, type Uuid } from '@postshelf/domain';
import type { Ports } from '../ports.ts';

/**
 * Writes down when tokens are used, to the minute, beside the requests that use them: none waits for that, and none fails
 * because of it. So whoever only reads goes on while the database takes no writes.
 *
 * @param onFailure hears of a use that couldn't be written down; the token's next is tried a minute later
 * @returns what to call with the token of each request
 */
export function recordTokenUse(
  ports: Pick<Ports, 'tokens' | 'clock'>,
  onFailure: (cause: unknown, token: Uuid) => void,
): (token: AccessToken) => void {
  /** Tokens whose use is being written down, or was tried in vain, since when. As many as there are rows, at most. */
  const tried = new Map<Uuid, number>();
  const write = async (id: Uuid, now: number): Promise<void> => {
    tried.set(id, now);
    try {
      await ports.tokens.touch(id, now);
      tried.delete(id);
    } catch (cause) {
      onFailure(cause, id);
    }
  };
  return ({ id, lastUsedAt }) => {
    const now = ports.clock.now();
    const isDue = (since: number | null | undefined): boolean => now - (since ?? 0) >= LAST_USED_GRANULARITY;
    if (isDue(lastUsedAt) && isDue(tried.get(id))) void write(id, now);
  };
}
