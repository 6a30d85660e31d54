import { dlopen } from 'bun:ffi';
import { availableParallelism } from 'node:os';

/** Threads for calls of the file system, each of which may wait for the disk. */
const THREADS = 8;

/** Variables by which Bun is told their number; the first one is also Node's. */
const NAMES = ['UV_THREADPOOL_SIZE', 'GOMAXPROCS'] as const;

const LIBRARIES: Readonly<Record<string, string>> = { linux: 'libc.so.6', darwin: 'libSystem.dylib' };

/**
 * Lets the process use at least {@link THREADS} threads for files, unless its environment says how many. By default Bun
 * has one per processor: with two, two files that are being synced keep all other reads and writes waiting. Threads are
 * started when they are needed.
 *
 * Must be called before the first asynchronous call of the file system, since Bun reads the variable once. It reads the
 * C library's environment, of which `process.env` is a copy: hence setenv(3).
 *
 * @returns whether there are as many; with fewer everything works, but uploads wait for each other's syncs
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
    // The C library has another name here.
    return false;
  }
}
