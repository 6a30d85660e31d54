import type { Uuid } from '../ids.ts';
import type { MediaWithCover } from '../media/item.ts';

/**
 * Finds `active` items of a workspace with the same SHA-256, except covers. An alias is the id of an upload whose bytes
 * turned out to be those of an existing item. It expires, is deleted with that item, and isn't listed.
 */
export interface DuplicateRepository {
  find(workspaceId: Uuid, sha256: string): Promise<MediaWithCover | null>;
  resolve(id: Uuid, now: number): Promise<MediaWithCover | null>;
  /** Prunes at most `limit` aliases that have expired. @returns how many */
  prune(before: number, limit: number): Promise<number>;
}
