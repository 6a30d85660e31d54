import { type Clock, LAST_USED_GRANULARITY, type Uuid } from '@postshelf/domain';

interface Used {
  readonly id: Uuid;
  readonly lastUsedAt: number | null;
}

/**
 * Records when tokens or sessions were last used, at most once a minute each, in the background: requests neither wait
 * for the write nor fail with it.
 *
 * @param onFailure called if a use couldn't be recorded; it is tried again a minute later
 */
export function recordUse(
  repository: { touch(id: Uuid, at: number): Promise<void> },
  clock: Clock,
  onFailure: (cause: unknown, id: Uuid) => void,
): (used: Used) => void {
  /** Ids whose use is being recorded or couldn't be recorded, with the time of the attempt. */
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
