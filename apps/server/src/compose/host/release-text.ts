import { dlopen } from 'bun:ffi';
import { readFile, realpath } from 'node:fs/promises';

/** Milliseconds after the start: by then everything is loaded, and the first garbage is collected. */
const SETTLED = 3_000;

/** From <sys/mman.h>, the same on all Linux architectures that the program is built for. */
const MADV_DONTNEED = 4;

const MAPS = '/proc/self/smaps';

/**
 * Removes pages of the program's own code and constants that only its start has needed from this process's memory,
 * once. They stay in the system's file cache, from which those that are needed again come back in a microsecond each.
 * Where the system doesn't support it they stay.
 */
export function releaseTextSoon(onError: (cause: unknown) => void): void {
  setTimeout(() => releaseText().catch(onError), SETTLED).unref();
}

/** Answers the bytes of those mappings; 0 where the system doesn't list them. */
export async function releaseText(): Promise<number> {
  if (process.platform !== 'linux') return 0;
  const ranges = unwrittenIn(await readFile(MAPS, 'utf8'), await realpath(process.execPath));
  if (ranges.length === 0) return 0;
  const libc = dlopen('libc.so.6', { madvise: { args: ['usize', 'usize', 'i32'], returns: 'i32' } });
  try {
    return ranges.reduce((sum, { start, length }) => {
      const isDone = libc.symbols.madvise(start, length, MADV_DONTNEED) === 0;
      return sum + (isDone ? length : 0);
    }, 0);
  } finally {
    libc.close();
  }
}

/**
 * The mappings of a file's code and constants: read-only ones that were never written to, as pages that were written to
 * would be reset to the file's content (proc_pid_smaps(5), madvise(2)).
 */
export function unwrittenIn(
  smaps: string,
  file: string,
): readonly { readonly start: number; readonly length: number }[] {
  // Each mapping begins with its addresses; names of its figures begin with a capital.
  return smaps.split(/\n(?=[\da-f]+-)/).flatMap((mapping) => {
    const [, from = '', to = '', path] = /^([\da-f]+)-([\da-f]+) r-[x-]p [\da-f]+ \S+ \d+ +(.*)$/m.exec(mapping) ?? [];
    if (path !== file || !/^Anonymous: +0 kB$/m.test(mapping)) return [];
    const start = Number.parseInt(from, 16);
    return [{ start, length: Number.parseInt(to, 16) - start }];
  });
}
