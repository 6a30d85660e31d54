import { dlopen } from 'bun:ffi';
import { readFile, realpath } from 'node:fs/promises';

/** Milliseconds after the start, when all is loaded that a start loads and the first garbage is collected. */
const SETTLED = 3_000;

/** Of <sys/mman.h>, the same on all of Linux' architectures that the program is made for. */
const MADV_DONTNEED = 4;

const MAPS = '/proc/self/smaps';

/**
 * Takes pages of the program's own code and constants out of this process's memory that only its start has needed, once. They stay in the
 * system's cache of the file, from which those that are needed again come back in a microsecond each: nothing is lost, and nothing
 * read. Where the system can't be asked for that they stay.
 */
export function releaseTextSoon(onError: (cause: unknown) => void): void {
  setTimeout(() => releaseText().catch(onError), SETTLED).unref();
}

/** Gives how many bytes of them were looked through; 0 where the system tells of none. */
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
 * Where a file's code and constants are mapped: what nobody may write to and nobody has written to before it was made so, as pages
 * that were written to would become what they are in the file (proc_pid_smaps(5), madvise(2)).
 */
export function unwrittenIn(
  smaps: string,
  file: string,
): readonly { readonly start: number; readonly length: number }[] {
  // Each begins with its addresses; names of its figures begin with a capital.
  return smaps.split(/\n(?=[\da-f]+-)/).flatMap((mapping) => {
    const [, from = '', to = '', path] = /^([\da-f]+)-([\da-f]+) r-[x-]p [\da-f]+ \S+ \d+ +(.*)$/m.exec(mapping) ?? [];
    if (path !== file || !/^Anonymous: +0 kB$/m.test(mapping)) return [];
    const start = Number.parseInt(from, 16);
    return [{ start, length: Number.parseInt(to, 16) - start }];
  });
}
