import type { Library } from './library-repository.ts';
import type { StorageMark } from './storage-marker.ts';

/**
 * What a database knows of the fence: a random text that it and its storage's mark share, and that changes every
 * minute. The previous one counts too, as a kill may come between the change of the database and that of the mark.
 */
export interface Fence {
  /** null until the first change. */
  readonly current: string | null;
  readonly previous: string | null;
  /** The name of the database to which this one was copied; null if it wasn't. */
  readonly movedTo: string | null;
}

/** The fence in the database. */
export interface FenceRepository {
  find(): Promise<Fence>;
  /** Makes the owner the one process that changes the fence, or renews its lease; false while another's lasts. */
  takeLease(owner: string, now: number, until: number): Promise<boolean>;
  /** Ends the owner's lease; does nothing if it has none. */
  releaseLease(owner: string): Promise<void>;
  /** Whether any process holds the lease. */
  isLeased(now: number): Promise<boolean>;
  /**
   * Makes `next` the current fence and the current one the previous, if the owner holds the lease and the current one
   * is still `current`. Otherwise changes nothing and returns false.
   */
  change(owner: string, current: string | null, next: string): Promise<boolean>;
  /** Overwrites the given fields, whatever they were and whoever holds the lease. */
  set(fence: Partial<Fence>): Promise<void>;
}

/** Why a database must not be written to, nor an object be destroyed for it. */
export type FenceProblem =
  /** Another database has changed the mark since this one was copied. */
  | { readonly reason: 'copy' }
  /** The library was copied to another database or storage, which is used now. */
  | { readonly reason: 'moved'; readonly to: string };

/** The facts by which a database is told from its copies. */
export interface FenceFacts {
  readonly library: Pick<Library, 'generation'>;
  readonly fence: Fence;
  readonly mark: StorageMark;
}

/** null: the storage's mark was last changed by this database. */
export function judgeFence({ library, fence, mark }: FenceFacts): FenceProblem | null {
  const to = fence.movedTo ?? mark.movedTo;
  if (to !== undefined) return { reason: 'moved', to };
  // Programs from before there was a fence write marks without one, and count collections of garbage instead.
  if (mark.fence === undefined) return mark.generation > library.generation ? { reason: 'copy' } : null;
  return mark.fence === fence.current || mark.fence === fence.previous ? null : { reason: 'copy' };
}
