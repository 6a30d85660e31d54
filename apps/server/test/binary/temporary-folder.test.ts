import { describe, expect, test } from 'bun:test';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { hasPrograms } from '@postshelf/testing/programs';
import { binary, inEmptyFolder, run } from './program.ts';

/**
 * The command that lets a test mount something for a single process; undefined if that isn't possible on this machine.
 */
const unshare = [
  ['unshare', '-m'],
  ['unshare', '-Urm'],
].find(
  (command) =>
    hasPrograms(['unshare', 'mount'], 'folders mounted noexec and ro for the binary') &&
    Bun.spawnSync([...command, 'mount', '-t', 'tmpfs', 'none', '/mnt']).success,
);
if (!unshare)
  process.stderr.write('SKIPPED: folders mounted noexec and ro for the binary; nothing can be mounted here.\n');

/** Expects one clear line about TMPDIR and no output. */
function expectRefusal({ code, stdout, stderr }: Awaited<ReturnType<typeof run>>, tmpdir: string): void {
  expect(code).toBe(1);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^postshelf: TMPDIR: .*\n$/);
  expect(stderr).toContain(tmpdir);
  expect(stderr).toContain('have 3 MB free');
}

describe("SQLite's addon", () => {
  test('is unpacked to TMPDIR once, however often the program is started', () =>
    inEmptyFolder(async (folder) => {
      const TMPDIR = join(folder, 'tmp');
      mkdirSync(TMPDIR);
      for (let start = 0; start < 3; start++) {
        expect(await run([binary, 'migrate'], folder, { TMPDIR })).toMatchObject({ code: 0, stderr: '' });
      }
      expect(readdirSync(TMPDIR)).toHaveLength(1);
    }));

  test('prevents the start if TMPDIR does not exist', () =>
    inEmptyFolder(async (folder) => {
      const TMPDIR = join(folder, 'missing');
      expectRefusal(await run([binary, 'migrate'], folder, { TMPDIR }), TMPDIR);
    }));

  for (const option of ['noexec', 'ro', 'size=1m']) {
    test.skipIf(!unshare)(`prevents the start if TMPDIR is mounted ${option}`, () =>
      inEmptyFolder(async (folder) => {
        const TMPDIR = join(folder, 'tmp');
        mkdirSync(TMPDIR);
        const mount = `mount -t tmpfs -o ${option} none "$TMPDIR" && exec "$0" migrate`;
        const started = [...(unshare ?? []), 'sh', '-c', mount, binary];
        expectRefusal(await run(started, folder, { TMPDIR, PATH: process.env.PATH ?? '' }), TMPDIR);
      }),
    );
  }
});
