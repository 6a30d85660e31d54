import { tmpdir } from 'node:os';

/** Why a file can't be used as a database, for whoever named it. */
export const cannotOpen = (file: string, cause: unknown): string =>
  `Cannot open the database ${file}: ${messageOf(cause)}`;

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const ADDON_MISSING = `TMPDIR: SQLite's addon cannot be unpacked to ${tmpdir()} and loaded from there: the folder must exist, be writable, and not be mounted noexec`;
