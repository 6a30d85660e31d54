import type { Uuid } from '../ids.ts';

/** Media items in one archive. */
export const MAX_ARCHIVE_ITEMS = 10_000;

/** Bytes of the files in one archive. */
export const MAX_ARCHIVE_BYTES = 20 * 1024 * 1024 * 1024;

/** Seconds that the link of an archive is good for. */
export const ARCHIVE_LIFE = 10 * 60;

/** Archives of a workspace that have not expired: each has up to 10,000 ids. */
export const MAX_ARCHIVES = 50;

/** A selection of media items that a link offers as one ZIP file. It is made while it is read. */
export interface Archive {
  readonly id: Uuid;
  readonly workspaceId: Uuid;
  /** In the order in which the files come. */
  readonly mediaIds: readonly Uuid[];
  readonly expiresAt: number;
}
