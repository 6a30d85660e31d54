// Where tests keep their temporary files while `npm test` runs.
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const NAME = /^postshelf-npm-test-(\d+)-/;

/** Bytes: several times what the tests of all processes were seen to keep at once. */
const ROOM = 8 * 1024 ** 3;
/** Bytes that are left to the tests themselves. */
const REST = 4 * 1024 ** 3;

/**
 * Opens a temporary folder in memory, where a commit waits for no disk; on a busy disk the tests would wait for it most of
 * the time. null where there is no such file system, or it is small, or programs can't be loaded from it. It is removed
 * when this process exits, and by a later run where it was killed.
 *
 * @returns the environment that sends tests there
 */
export function scratchInMemory() {
  if (!existsSync(MEMORY) || isNoExec() || freeBytes() < ROOM || availableMemory() < ROOM + REST) return null;
  for (const name of readdirSync(MEMORY)) {
    const pid = NAME.exec(name)?.[1];
    if (pid && !existsSync(`/proc/${pid}`)) rmSync(join(MEMORY, name), { recursive: true, force: true });
  }
  const folder = mkdtempSync(join(MEMORY, `postshelf-npm-test-${process.pid}-`));
  // PostgreSQL's is another user.
  chmodSync(folder, 0o755);
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return { TMPDIR: folder, POSTSHELF_TEST_FIXTURES: tmpdir(), POSTSHELF_TEST_SHARED: join(folder, 'shared') };
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
