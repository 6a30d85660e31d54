import { type Clock, LAST_USED_GRANULARITY, type Uuid } from '@postshelf/domain';

/** What is used: a token, or a session. */
interface Used {
  readonly id: Uuid;
  readonly lastUsedAt: number | null;
}

/**
 * Records when tokens or sessions were last used, at most once a minute each, in the background: requests neither wait for
 * the write nor fail with it, so reading requests work while the database is read-only.
 *
 * @param repository where they are kept
 * @param onFailure called when a use couldn't be recorded; it is tried again with a use a minute later
 * @returns a function to call with the token or session of each request
 */
export function recordUse(
  repository: { touch(id: Uuid, at: number): Promise<void> },
  clock: Clock,
  onFailure: (cause: unknown, id: Uuid) => void,
): (used: Used) => void {
  /** Those whose use is being recorded, or failed to be, with the time. At most as many as there are rows. */
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
