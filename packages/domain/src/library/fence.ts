import type { Library } from './library-repository.ts';
import type { StorageMark } from './storage-marker.ts';

/**
 * A random text that a database and its storage's mark share, and that changes every minute. The previous one counts
 * too, as a kill may come between the two changes.
 */
export interface Fence {
  /** null until the first change. */
  readonly current: string | null;
  readonly previous: string | null;
  /** The database to which this one was copied. */
  readonly movedTo: string | null;
}

export interface FenceRepository {
  find(): Promise<Fence>;
  /** Makes the owner the one process that changes the fence, or renews its lease; false while another's lasts. */
  takeLease(owner: string, now: number, until: number): Promise<boolean>;
  /** Does nothing if the owner has none. */
  releaseLease(owner: string): Promise<void>;
  isLeased(now: number): Promise<boolean>;
  /**
   * Makes `next` the current fence; false, and nothing changed, unless the owner holds the lease and the fence is
   * `current`.
   */
  change(owner: string, current: string | null, next: string): Promise<boolean>;
  /** Whatever the fields were and whoever holds the lease. */
  set(fence: Partial<Fence>): Promise<void>;
}

/** Why nothing may be written or destroyed for a database. */
export type FenceProblem =
  /** Another database has changed the mark since this one was copied. */
  | { readonly reason: 'copy' }
  /** The library was copied to another database or storage, which is used now. */
  | { readonly reason: 'moved'; readonly to: string };

export interface FenceFacts {
  readonly library: Pick<Library, 'generation'>;
  readonly fence: Fence;
  readonly mark: StorageMark;
}

/** null: this database was the last to change the storage's mark. */
export function judgeFence({ library, fence, mark }: FenceFacts): FenceProblem | null {
  const to = fence.movedTo ?? mark.movedTo;
  if (to !== undefined) return { reason: 'moved', to };
  // Older programs write marks without a fence, and count collections of garbage instead.
  if (mark.fence === undefined) return mark.generation > library.generation ? { reason: 'copy' } : null;
  return mark.fence === fence.current || mark.fence === fence.previous ? null : { reason: 'copy' };
}
