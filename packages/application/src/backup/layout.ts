import type { ActiveMedia } from '@postshelf/domain';

/** The files of a backup, in this order (docs/operating/backups.md). The last one marks the backup as complete. */
export const MEDIA = 'media/';
export const OBJECTS = 'objects.jsonl';
export const DATABASE = 'postshelf.db';
export const SECRET = 'jwt-secret';
export const SUMMARY = 'backup.json';

/** Version of {@link SUMMARY}. A program refuses higher versions than it knows. */
export const FORMAT = 1;

/** Maximum bytes of a file that is read into memory. */
export const MAX_SMALL = 64 * 1024;

/** Contents of {@link SUMMARY}. */
export interface BackupSummary {
  readonly format: number;
  /** The program's version. */
  readonly program: string;
  /** RFC 3339, UTC: when the copy of the database was started. */
  readonly made_at: string;
  readonly database: { readonly size: number; readonly sha256: string };
  readonly workspaces: number;
  readonly objects: {
    /** Active items, and the bytes of their objects. */
    readonly count: number;
    readonly bytes: number;
    /** How many of them were missing or damaged when the backup was made. */
    readonly problems: number;
  };
  /** Whether the objects themselves are in the backup. */
  readonly with_media: boolean;
}

/** A line of {@link OBJECTS}: an object that the storage must have beside the database. */
export const objectLine = ({ id, fullName, content: { size, sha256 } }: ActiveMedia): Uint8Array =>
  new TextEncoder().encode(`${JSON.stringify({ id, key: fullName, size, sha256 })}\n`);
