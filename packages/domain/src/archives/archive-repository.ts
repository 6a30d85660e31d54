import type { IdempotencyCompletion } from '../idempotency/idempotency-repository.ts';
import type { Uuid } from '../ids.ts';
import type { Archive } from './archive.ts';

/** Archives are removed together with their workspace. */
export interface ArchiveRepository {
  /**
   * @param now archives that expire after this time count towards the maximum
   * @returns `full` if the workspace has {@link MAX_ARCHIVES}, `gone` if the workspace no longer exists; in both cases,
   *   nothing is inserted
   */
  insert(archive: Archive, now: number, completion?: IdempotencyCompletion): Promise<'kept' | 'full' | 'gone'>;
  /** Finds an archive. An expired archive is found until it is pruned. */
  find(id: Uuid): Promise<Archive | null>;
  /** Removes at most `limit` archives that expired before a time. Returns how many. */
  prune(before: number, limit: number): Promise<number>;
}
