import { dlopen } from 'bun:ffi';
import { availableParallelism } from 'node:os';

/** Calls of the file system that wait for the disk at one time. */
const THREADS = 8;

/** By which Bun, as Node, is told how many; Bun takes the second one too. */
const NAMES = ['UV_THREADPOOL_SIZE', 'GOMAXPROCS'] as const;

const LIBRARIES: Readonly<Record<string, string>> = { linux: 'libc.so.6', darwin: 'libSystem.dylib' };

/**
 * Has the process read, write and sync files by at least {@link THREADS} threads, unless its environment says how many. Bun makes
 * one for each processor, and on a small machine two files that are synced keep all others waiting. To be called before the first
 * of them is made. They are made as they are needed, and change nothing where memory is tight.
 *
 * By setenv(3): `process.env` is a copy.
 *
 * @returns whether there are as many; with fewer everything works, and is slower under load
 */
export function allowDiskThreads(): boolean {
  if (NAMES.some((name) => process.env[name]) || availableParallelism() >= THREADS) return true;
  const library = LIBRARIES[process.platform];
  if (library === undefined) return false;
  try {
    const libc = dlopen(library, { setenv: { args: ['cstring', 'cstring', 'i32'], returns: 'i32' } });
    try {
      return libc.symbols.setenv(Buffer.from(`${NAMES[0]}\0`), Buffer.from(`${THREADS}\0`), 0) === 0;
    } finally {
      libc.close();
    }
  } catch {
    // Another C library, such as musl's, has another name.
    return false;
  }
}
