import type { Uuid } from '../ids.ts';
import type { MediaWithCover } from '../media/item.ts';

/**
 * `active` items of a workspace with the same SHA-256, without covers. An alias, an id issued before its bytes were
 * known, expires, is deleted with its item, and is in no list.
 */
export interface DuplicateRepository {
  find(workspaceId: Uuid, sha256: string): Promise<MediaWithCover | null>;
  resolve(id: Uuid, now: number): Promise<MediaWithCover | null>;
  /** At most `limit` expired aliases. */
  reap(before: number, limit: number): Promise<number>;
}
