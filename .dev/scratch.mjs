// The folder of the tests' temporary files while `npm test` runs.
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const NAME = /^postshelf-npm-test-(\d+)-/;

/** Bytes: several times the highest measured total of temporary files. */
const NEEDED_SPACE = 8 * 1024 ** 3;
/** Bytes of memory that the tests themselves need. */
const NEEDED_MEMORY = 4 * 1024 ** 3;

/**
 * Creates a temporary folder in memory, as commits to a busy disk would take most of the tests' time. It is removed
 * when this process exits, or by a later run if this process is killed.
 *
 * @returns the environment with which tests use it; null if there is no such file system, it is too small, or programs
 *   can't be loaded from it
 */
export function scratchInMemory() {
  if (
    !existsSync(MEMORY) ||
    isNoExec() ||
    freeBytes() < NEEDED_SPACE ||
    availableMemory() < NEEDED_SPACE + NEEDED_MEMORY
  )
    return null;
  for (const name of readdirSync(MEMORY)) {
    const pid = NAME.exec(name)?.[1];
    if (pid && !existsSync(`/proc/${pid}`)) rmSync(join(MEMORY, name), { recursive: true, force: true });
  }
  const folder = mkdtempSync(join(MEMORY, `postshelf-npm-test-${process.pid}-`));
  // PostgreSQL runs as another user.
  chmodSync(folder, 0o755);
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return { TMPDIR: folder, POSTSHELF_TEST_SHARED: join(folder, 'shared') };
}

/** SQLite's addon is unpacked to the temporary folder and loaded from there. */
const isNoExec = () => {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  const options = mounts.findLast((line) => line.split(' ')[1] === MEMORY)?.split(' ')[3] ?? '';
  return options.split(',').includes('noexec');
};

const freeBytes = () => {
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize;
};

const availableMemory = () =>
  1024 * Number(/^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1] ?? 0);
