import type { Uuid } from '../ids.ts';
import type { RepeatCompletion } from '../repeats/repeat-repository.ts';
import type { Archive } from './archive.ts';

/** An archive ends with its workspace. */
export interface ArchiveRepository {
  /**
   * @param now from which on archives that expire later count
   * @returns `full`: {@link MAX_ARCHIVES}; `gone`: the workspace. Nothing is inserted then.
   */
  insert(archive: Archive, now: number, completion?: RepeatCompletion): Promise<'kept' | 'full' | 'gone'>;
  /** An expired one, too, until it is pruned. */
  find(id: Uuid): Promise<Archive | null>;
  /** Removes at most `limit` that expired before a time. Returns how many. */
  prune(before: number, limit: number): Promise<number>;
}
