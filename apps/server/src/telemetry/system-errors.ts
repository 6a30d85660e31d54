const DAMAGED = 'correct the path, or move the file aside and restore the last backup (docs/operating/backups.md)';

/** Remedies for errors of the operating system (errno(3)), SQLite and PostgreSQL (SQLSTATE), by their codes. */
const WAYS_OUT: Readonly<Record<string, string>> = {
  EACCES: "run it as the service's user, or give that user access (chown, chmod)",
  EPERM: "run it as the service's user, or give that user access (chown, chmod)",
  EROFS: 'mount that disk for writing; verify, backup and lists work without',
  ENOSPC: 'free space there, or inodes (df -h, df -i)',
  SQLITE_FULL: 'free space on its disk, or inodes (df -h, df -i)',
  // Also on a full disk, where SQLite can't make its `-shm` file.
  SQLITE_IOERR: 'free space on its disk (df -h, df -i), or check that disk (dmesg)',
  SQLITE_CORRUPT: DAMAGED,
  SQLITE_NOTADB: DAMAGED,
  SQLITE_CANTOPEN: 'check the path, and the rights there',
  EDQUOT: 'raise the quota',
  EMFILE: 'raise the limit of open files (ulimit -n, LimitNOFILE=)',
  ENFILE: "raise the system's limit of open files (fs.file-max)",
  EIO: 'check that disk (dmesg)',
  ENOENT: 'check the path, and that its disk is mounted',
  ENOTDIR: 'check the path',
  EISDIR: 'check the path',
  ESTALE: 'mount that disk again',
  53300:
    'lower DATABASE_POOL_SIZE, end connections of other programs, or raise the limit (max_connections, or CONNECTION LIMIT of the role or the database)',
};

/** Returns a sentence about an error with a known code, with the remedy; null for any other error. */
export function describeSystemError(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const way = wayOf(error);
  if (way === undefined) return describeSystemError(error.cause);
  return `${firstLine(error.message)}: ${way}.`;
}

/** Returns the first line of an error's message; libraries may add details below it. */
export const firstLine = (message: string): string => message.split('\n', 1)[0] ?? '';

/** Returns only the remedy for an error, as a sentence. */
export function wayOutOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const way = wayOf(error);
  return way === undefined ? wayOutOf(error.cause) : `${way[0]?.toUpperCase()}${way.slice(1)}.`;
}

function wayOf(error: Error): string | undefined {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  // SQLITE_IOERR_SHMSIZE is an SQLITE_IOERR (sqlite.org/rescode.html).
  return WAYS_OUT[code] ?? WAYS_OUT[code.replace(/^(SQLITE_[A-Z]+)_.*/, '$1')];
}
