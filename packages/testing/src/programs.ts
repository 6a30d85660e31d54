import { afterAll, afterEach, beforeAll, beforeEach, describe, test } from 'bun:test';

/** The Debian packages of programs that tests use, if the package's name differs from the program's. */
const PACKAGES: Readonly<Record<string, string>> = {
  '7z': 'p7zip-full',
  ffprobe: 'ffmpeg',
  flock: 'util-linux',
  go: 'golang-go',
  nsenter: 'util-linux',
  php: 'php-cli php-curl',
  setpriv: 'util-linux',
  strace: 'strace, where a container lets it trace',
  'systemd-analyze': 'systemd',
  unshare: 'util-linux',
};

const canTrace = (): boolean => Bun.spawnSync(['strace', '-o', '/dev/null', 'true'], { stderr: 'ignore' }).success;

const isUsable = (name: string): boolean => Bun.which(name) !== null && (name !== 'strace' || canTrace());

/**
 * Whether these programs are on this machine, and may be used. If a program is missing, a line on standard error names
 * what is skipped, and how to get the program.
 *
 * @param skipped what remains untested without them
 * @throws Error if a program is missing and `CI` is set, because CI must not skip tests
 */
export function hasPrograms(names: readonly string[], skipped: string): boolean {
  const missing = names.filter((name) => !isUsable(name));
  if (missing.length === 0) return true;
  const packages = [...new Set(missing.map((name) => PACKAGES[name] ?? name))].join(' ');
  const line = `No ${missing.join(', no ')} on the PATH (apt-get install ${packages}). SKIPPED: ${skipped}`;
  if (process.env.CI) throw new Error(line);
  process.stderr.write(`\n${line}\n\n`);
  return false;
}

const nothing = () => undefined;

/**
 * Returns functions to declare tests that need these programs. They are those of `bun:test` if the programs are
 * installed, and otherwise functions that skip tests and their hooks.
 */
export function testsThatNeed(names: readonly string[], skipped: string) {
  if (hasPrograms(names, skipped)) return { afterAll, afterEach, beforeAll, beforeEach, describe, test };
  const hooks = { afterAll: nothing, afterEach: nothing, beforeAll: nothing, beforeEach: nothing };
  return { ...hooks, describe: describe.skip, test: test.skip };
}
