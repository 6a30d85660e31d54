import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';

/**
 * If the limit of open files is lower than this, a warning is logged at the start. Connections, files and child
 * processes share this limit.
 */
const FEW = 4096;

/** Folders that list a process's own open files, on Linux and on other systems. */
const FOLDERS = ['/proc/self/fd', '/dev/fd'] as const;

/**
 * Returns the limit of open files; null if it isn't known, as on macOS. This is the soft limit, which the runtime has
 * raised to the hard limit.
 */
export function openFileLimit(limits = '/proc/self/limits'): number | null {
  if (!existsSync(limits)) return null;
  const soft = /^Max open files +(\d+)/m.exec(readFileSync(limits, 'utf8'))?.[1];
  return soft === undefined ? null : Number(soft);
}

/** Returns the number of open files; null if no folder lists them. */
export function countOpenFiles(folders: readonly string[] = FOLDERS): number | null {
  const folder = folders.find((path) => existsSync(path));
  if (folder === undefined) return null;
  // Since Linux 6.2, the folder's size is the number of open files. Unlike listing the folder, reading its size needs
  // no descriptor.
  const { size } = statSync(folder);
  if (size > 0 && folder === FOLDERS[0]) return size;
  try {
    return readdirSync(folder).length;
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EMFILE') return Number.POSITIVE_INFINITY;
    throw cause;
  }
}

/** Returns a warning about a low limit; null if the limit is high enough. */
export function warnOfFewFiles(limit: number | null): string | null {
  if (limit === null || limit >= FEW) return null;
  return `the process can open only ${limit} files and connections: raise its limit (ulimit -n, LimitNOFILE) to ${FEW} or more`;
}
