import { readdirSync, readFileSync, statSync } from 'node:fs';

/** A limit of open files below which a start warns: connections, files and children share it. */
const FEW = 4096;

/**
 * How many files, sockets and pipes the process may have open; null where that isn't known. The runtime has raised it as
 * far as it may be before any of our code runs, so that only the hard limit of whoever started the process counts.
 */
export function openFileLimit(): number | null {
  if (process.platform !== 'linux') return null;
  const soft = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  return soft === undefined ? null : Number(soft);
}

/** How many it has open. */
export function countOpenFiles(): number {
  // Since Linux 6.2 the folder's size says it, which takes no descriptor to read.
  const { size } = statSync('/proc/self/fd');
  if (size > 0) return size;
  try {
    return readdirSync('/proc/self/fd').length;
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EMFILE') return Number.POSITIVE_INFINITY;
    throw cause;
  }
}

/** The warning of a start about a low limit; null when it is high enough. */
export function warnOfFewFiles(limit: number | null): string | null {
  if (limit === null || limit >= FEW) return null;
  return `the process may have only ${limit} files and connections open: raise its limit (ulimit -n, LimitNOFILE) to ${FEW} or more`;
}
