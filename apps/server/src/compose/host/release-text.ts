import { dlopen } from 'bun:ffi';
import { open, readFile, realpath } from 'node:fs/promises';
import { rangeOfSection } from './elf.ts';

/**
 * Milliseconds after the start. By the first time everything is loaded and the first garbage is collected; by the
 * second each periodic task has run once.
 */
const SETTLED = [3_000, 6_000] as const;

/** From <sys/mman.h>, the same on all Linux architectures that the program is built for. */
const MADV_DONTNEED = 4;

const MAPS = '/proc/self/smaps';

/**
 * Has eight bytes for each page of the process, which tell whether it was written to
 * (docs.kernel.org/admin-guide/mm/pagemap.html).
 */
const PAGEMAP = '/proc/self/pagemap';
const PAGEMAP_ENTRY = 8;
const IS_PRESENT = 1n << 63n;
const IS_SWAPPED = 1n << 62n;
const IS_OF_FILE = 1n << 61n;

/** The section in which Bun keeps our code; it is mapped writable. */
const OWN_CODE = '.bun';

interface Range {
  readonly start: number;
  readonly length: number;
}

/**
 * Releases, twice, pages of the program's code and constants from this process's memory, as most are needed only during
 * the start. They stay in the system's file cache, from which a page that is needed again is mapped within a
 * microsecond. Does nothing if the system doesn't support it.
 */
export function releaseTextSoon(onError: (cause: unknown) => void): void {
  for (const time of SETTLED) setTimeout(() => releaseText().catch(onError), time).unref();
}

/** Returns the bytes of those mappings; 0 if the system doesn't list them. */
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

/** A part of a file that is mapped into the process's memory (proc_pid_smaps(5)). */
interface Mapping extends Range {
  readonly isWritable: boolean;
  /** Its offset in the file. */
  readonly offset: number;
  readonly pageSize: number;
  readonly isWritten: boolean;
}

/** The private mappings of a file. */
export function mappingsOf(smaps: string, file: string): readonly Mapping[] {
  // Each mapping begins with its addresses; the lines with its figures begin with a capital letter.
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
 * The mappings of code and constants: read-only and never written to. Written pages would be reset to the file's
 * content (madvise(2)).
 */
export const unwrittenIn = (mappings: readonly Mapping[]): readonly Range[] =>
  mappings
    .filter(({ isWritable, isWritten }) => !isWritable && !isWritten)
    .map(({ start, length }) => ({ start, length }));

/** The range of our code in the compiled program, if none of its pages was changed; otherwise none. */
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

/** Whether none of these pages was written to. */
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
