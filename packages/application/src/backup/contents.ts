import type { ActiveMedia } from '@postshelf/domain';

/**
 * Names of the files in a backup, in their order (docs/operating/backups.md). The last file marks the backup as
 * complete.
 */
export const MEDIA = 'media/';
export const OBJECTS = 'objects.jsonl';
export const DATABASE = 'postshelf.db';
export const SECRET = 'jwt-secret';
export const SUMMARY = 'backup.json';

/** Version of the format; a program refuses higher versions than it knows. */
export const FORMAT = 1;

/** Maximum bytes of a file that is read into memory. */
export const MAX_SMALL = 64 * 1024;

export interface BackupSummary {
  readonly format: number;
  readonly program: string;
  /** The time when the copy of the database was started: RFC 3339, UTC. */
  readonly made_at: string;
  readonly database: { readonly size: number; readonly sha256: string };
  readonly workspaces: number;
  readonly objects: {
    readonly count: number;
    readonly bytes: number;
    /** Number of missing or damaged objects. */
    readonly problems: number;
  };
  /** Whether the objects themselves are in the backup. */
  readonly with_media: boolean;
}

export const objectLine = ({ id, fullName, content: { size, sha256 } }: ActiveMedia): Uint8Array =>
  new TextEncoder().encode(`${JSON.stringify({ id, key: fullName, size, sha256 })}\n`);
