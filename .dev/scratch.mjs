// The folder of the tests' temporary files.
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const NAME = /^postshelf-npm-test-(\d+)-/;

/** Matches the names of the servers' directories. `.ci/keep.sh` stops a server, and then removes its directory. */
const OF_SERVER = /^postshelf-(?:postgres|radosgw)-/;

/**
 * The bytes that must be free for a folder in memory: NEEDED_SPACE for temporary files, which is several times the
 * highest measured total, plus NEEDED_MEMORY for the tests themselves.
 */
const NEEDED_SPACE = 8 * 1024 ** 3;
const NEEDED_MEMORY = 4 * 1024 ** 3;

/**
 * Creates a folder, which is removed when this process exits, or by a later run if this process is killed.
 *
 * @param inMemory whether to create the folder in memory if there is enough of it. On a busy disk, tests would spend
 *   most of their time waiting for commits.
 * @returns the environment that makes tests use the folder. It also names a folder on a disk, for tests that need one.
 */
export function makeScratch({ inMemory }) {
  const parent = inMemory && canHold() ? MEMORY : tmpdir();
  for (const name of readdirSync(parent)) {
    const pid = NAME.exec(name)?.[1];
    if (pid && !existsSync(`/proc/${pid}`)) rmSync(join(parent, name), { recursive: true, force: true });
  }
  const folder = mkdtempSync(join(parent, `postshelf-npm-test-${process.pid}-`));
  // PostgreSQL runs as another user, who needs access to the folder.
  chmodSync(folder, 0o755);
  process.on('exit', () => {
    awaitServers(folder);
    removeFolder(folder);
  });
  return { TMPDIR: folder, POSTSHELF_TEST_SHARED: join(folder, 'shared'), POSTSHELF_TEST_DISK: tmpdir() };
}

/** Waits at most ten seconds for the servers in the folder to stop. Until then, they need their files in the folder. */
function awaitServers(folder) {
  for (let tries = 0; tries < 100 && readdirSync(folder).some((name) => OF_SERVER.test(name)); tries += 1) pause();
}

/**
 * Removes a folder. A browser that is stopping may still write to the folder, so this function tries several times. A
 * later run removes what still remains.
 */
function removeFolder(folder) {
  for (let tries = 0; tries < 20 && existsSync(folder); tries += 1) {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      pause();
    }
  }
}

/** Blocks this process for 100 milliseconds. */
const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);

/** Whether an in-memory file system has enough room, and allows code such as SQLite's addon to be loaded from it. */
function canHold() {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  const options = mounts.findLast((line) => line.split(' ')[1] === MEMORY)?.split(' ')[3] ?? '';
  const available = 1024 * Number(/^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1] ?? 0);
  return (
    bavail * bsize >= NEEDED_SPACE &&
    available >= NEEDED_SPACE + NEEDED_MEMORY &&
    !options.split(',').includes('noexec')
  );
}
