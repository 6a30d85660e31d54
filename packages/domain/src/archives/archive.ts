import type { Uuid } from '../ids.ts';

/** Maximum number of media items in one archive. */
export const MAX_ARCHIVE_ITEMS = 10_000;

/** Maximum total size of the files in one archive, in bytes. */
export const MAX_ARCHIVE_BYTES = 20 * 1024 * 1024 * 1024;

/** Lifetime of an archive's link, in seconds. */
export const ARCHIVE_LIFE = 10 * 60;

/** Maximum number of unexpired archives in a workspace; each holds up to 10,000 ids. */
export const MAX_ARCHIVES = 50;

/** A selection of media items that a link offers as one ZIP file, which is built while it is downloaded. */
export interface Archive {
  readonly id: Uuid;
  readonly workspaceId: Uuid;
  /** Item ids in the order of the files in the ZIP. */
  readonly mediaIds: readonly Uuid[];
  readonly expiresAt: number;
}
