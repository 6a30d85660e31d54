import type { Library } from './library-repository.ts';
import type { StorageMark } from './storage-marker.ts';

/**
 * A random text that a database shares with its storage's mark. The previous text is also valid, because a process may
 * be killed after it has changed the text in only one of these two places.
 */
export interface Fence {
  readonly current: string | null;
  readonly previous: string | null;
  /**
   * The location to which the library was moved with a copy of this database; null if this database is still in use.
   * After the move, the database accepts writes only to the rows of the library and the fence.
   */
  readonly movedTo: string | null;
}

export interface FenceTimes {
  /**
   * Milliseconds from the start of a process to its first change of the fence. This is longer than `interval`, so that
   * a process that uses the original database changes the fence before a process that uses a copy does.
   */
  readonly first: number;
  /** Milliseconds between two changes of the fence. */
  readonly interval: number;
  /**
   * Milliseconds that the lease lasts. This is shorter than `first`, so that a new process can take over a killed
   * process's lease before its own first change.
   */
  readonly lease: number;
  /** Maximum milliseconds of purging after a change, so that the next change is not late. */
  readonly purging: number;
}

export const FENCE_TIMES: FenceTimes = { first: 90_000, interval: 60_000, lease: 70_000, purging: 30_000 };

export interface FenceRepository {
  find(): Promise<Fence>;
  /** Takes the lease. Returns false while another owner's lease lasts. */
  takeLease(owner: string, now: number, until: number): Promise<boolean>;
  releaseLease(owner: string): Promise<void>;
  isLeased(now: number): Promise<boolean>;
  /**
   * Changes the fence if the owner holds the lease, the fence is `current` and the database wasn't moved. Otherwise it
   * returns false and changes nothing.
   */
  change(owner: string, current: string | null, next: string): Promise<boolean>;
  /** Sets the fence, whichever owner holds the lease. */
  set(fence: Partial<Fence>): Promise<void>;
}

/**
 * `copy`: another database has changed the mark since this one was copied. `moved`: the library is now used elsewhere.
 */
export type FenceProblem = { readonly reason: 'copy' } | { readonly reason: 'moved'; readonly to: string };

export interface FenceFacts {
  readonly library: Pick<Library, 'generation'>;
  readonly fence: Fence;
  readonly mark: StorageMark;
}

/** Returns null if this database was the last to change the mark. */
export function judgeFence({ library, fence, mark }: FenceFacts): FenceProblem | null {
  const to = fence.movedTo ?? mark.movedTo;
  if (to !== undefined) return { reason: 'moved', to };
  // Older releases have no fence, and count garbage collections instead.
  if (mark.fence === undefined) return mark.generation > library.generation ? { reason: 'copy' } : null;
  return mark.fence === fence.current || mark.fence === fence.previous ? null : { reason: 'copy' };
}
