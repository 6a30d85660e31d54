import type { Library } from './library-repository.ts';
import type { StorageMark } from './storage-marker.ts';

/**
 * A random text that a database and its storage's mark share. The previous one counts too, as a kill may come between
 * the two changes.
 */
export interface Fence {
  readonly current: string | null;
  readonly previous: string | null;
  /** Where this database was copied to: then it takes no writes but to the library's own row and this. */
  readonly movedTo: string | null;
}

export interface FenceRepository {
  find(): Promise<Fence>;
  /** False while another's lasts. */
  takeLease(owner: string, now: number, until: number): Promise<boolean>;
  releaseLease(owner: string): Promise<void>;
  isLeased(now: number): Promise<boolean>;
  /** False, and nothing changed, if the database was moved, unless the owner holds the lease and the fence is `current`. */
  change(owner: string, current: string | null, next: string): Promise<boolean>;
  /** Whoever holds the lease. */
  set(fence: Partial<Fence>): Promise<void>;
}

/** `copy`: another database has changed the mark since this one was copied; `moved`: the library is used elsewhere now. */
export type FenceProblem = { readonly reason: 'copy' } | { readonly reason: 'moved'; readonly to: string };

export interface FenceFacts {
  readonly library: Pick<Library, 'generation'>;
  readonly fence: Fence;
  readonly mark: StorageMark;
}

/** null: this database was the last to change the mark. */
export function judgeFence({ library, fence, mark }: FenceFacts): FenceProblem | null {
  const to = fence.movedTo ?? mark.movedTo;
  if (to !== undefined) return { reason: 'moved', to };
  // Older programs count collections of garbage instead.
  if (mark.fence === undefined) return mark.generation > library.generation ? { reason: 'copy' } : null;
  return mark.fence === fence.current || mark.fence === fence.previous ? null : { reason: 'copy' };
}
