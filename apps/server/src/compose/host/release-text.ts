import { dlopen } from 'bun:ffi';
import { open, readFile, realpath } from 'node:fs/promises';
import { rangeOfSection } from './elf.ts';

/** Milliseconds after the start: by then everything is loaded, each periodic work was done once, and the first garbage is collected. */
const SETTLED = 6_000;

/** From <sys/mman.h>, the same on all Linux architectures that the program is built for. */
const MADV_DONTNEED = 4;

const MAPS = '/proc/self/smaps';

/** Tells of each page of the process, in eight bytes, whether it was written to (docs.kernel.org/admin-guide/mm/pagemap.html). */
const PAGEMAP = '/proc/self/pagemap';
const PAGEMAP_ENTRY = 8;
const IS_PRESENT = 1n << 63n;
const IS_SWAPPED = 1n << 62n;
const IS_OF_FILE = 1n << 61n;

/** Where Bun keeps our code, which it maps so that it could be written to. */
const OWN_CODE = '.bun';

interface Range {
  readonly start: number;
  readonly length: number;
}

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
  const program = await realpath(process.execPath);
  const mappings = mappingsOf(await readFile(MAPS, 'utf8'), program);
  const ranges = [...unwrittenIn(mappings), ...(await ownCodeIn(mappings, program))];
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

/** A part of a file in the process's memory, as of proc_pid_smaps(5). */
interface Mapping extends Range {
  readonly isWritable: boolean;
  /** Where in the file it begins. */
  readonly offset: number;
  readonly pageSize: number;
  readonly isWritten: boolean;
}

/** The private mappings of a file. */
export function mappingsOf(smaps: string, file: string): readonly Mapping[] {
  // Each mapping begins with its addresses; names of its figures begin with a capital.
  return smaps.split(/\n(?=[\da-f]+-)/).flatMap((mapping) => {
    const [, from = '', to = '', write = '', offset = '', path] =
      /^([\da-f]+)-([\da-f]+) r([-w])[x-]p ([\da-f]+) \S+ \d+ +(.*)$/m.exec(mapping) ?? [];
    if (path !== file) return [];
    const start = Number.parseInt(from, 16);
    return [
      {
        start,
        length: Number.parseInt(to, 16) - start,
        isWritable: write === 'w',
        offset: Number.parseInt(offset, 16),
        pageSize: 1024 * Number(/^KernelPageSize: +(\d+) kB$/m.exec(mapping)?.[1] ?? 4),
        isWritten: !/^Anonymous: +0 kB$/m.test(mapping),
      },
    ];
  });
}

/**
 * Those of code and constants: read-only ones that were never written to, as pages that were written to would be reset to the
 * file's content (madvise(2)).
 */
export const unwrittenIn = (mappings: readonly Mapping[]): readonly Range[] =>
  mappings
    .filter(({ isWritable, isWritten }) => !isWritable && !isWritten)
    .map(({ start, length }) => ({ start, length }));

/** Our code in the program as one file, all of whose pages are as they are in the file; nothing where one isn't. */
async function ownCodeIn(mappings: readonly Mapping[], program: string): Promise<readonly Range[]> {
  const section = await rangeOfSection(program, OWN_CODE);
  const mapping = mappings.find(
    ({ offset, length }) => section && offset <= section.start && section.start + section.length <= offset + length,
  );
  if (!section || !mapping) return [];
  const { pageSize } = mapping;
  const first = Math.ceil((mapping.start + section.start - mapping.offset) / pageSize);
  const end = Math.floor((mapping.start + section.start + section.length - mapping.offset) / pageSize);
  if (end <= first || !(await areOfFile(first, end - first))) return [];
  return [{ start: first * pageSize, length: (end - first) * pageSize }];
}

/** Whether none of these pages of the process was written to. */
async function areOfFile(first: number, count: number): Promise<boolean> {
  const entries = Buffer.alloc(count * PAGEMAP_ENTRY);
  const pagemap = await open(PAGEMAP);
  try {
    const { bytesRead } = await pagemap.read(entries, 0, entries.length, first * PAGEMAP_ENTRY);
    if (bytesRead < entries.length) return false;
  } finally {
    await pagemap.close();
  }
  return Array.from({ length: count }, (_, index) => entries.readBigUInt64LE(index * PAGEMAP_ENTRY)).every(
    (entry) => (entry & IS_SWAPPED) === 0n && ((entry & IS_PRESENT) === 0n || (entry & IS_OF_FILE) !== 0n),
  );
}
