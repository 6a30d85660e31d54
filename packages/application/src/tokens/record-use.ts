import { type Clock, LAST_USED_GRANULARITY, type Uuid } from '@postshelf/domain';

interface Used {
  readonly id: Uuid;
  readonly lastUsedAt: number | null;
}

/**
 * Records when each token or session was last used, at most once a minute. This is done in the background: requests
 * neither wait for the write nor fail if it fails.
 *
 * @param onFailure called if a use couldn't be recorded; it is tried again a minute later
 */
export function recordUse(
  repository: { touch(id: Uuid, at: number): Promise<void> },
  clock: Clock,
  onFailure: (cause: unknown, id: Uuid) => void,
): (used: Used) => void {
  /**
   * The time of the last attempt for each token or session whose use is being recorded or couldn't be recorded, by id.
   */
  const tried = new Map<Uuid, number>();
  const write = async (id: Uuid, now: number): Promise<void> => {
    tried.set(id, now);
    try {
      await repository.touch(id, now);
      tried.delete(id);
    } catch (cause) {
      onFailure(cause, id);
    }
  };
  return ({ id, lastUsedAt }) => {
    const now = clock.now();
    const isDue = (since: number | null | undefined): boolean => now - (since ?? 0) >= LAST_USED_GRANULARITY;
    if (isDue(lastUsedAt) && isDue(tried.get(id))) void write(id, now);
  };
}
