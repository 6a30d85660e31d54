import { afterAll, beforeAll, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let bin: string;

beforeAll(() => {
  bin = mkdtempSync(join(tmpdir(), 'postshelf-programs-'));
});
afterAll(() => rmSync(bin, { recursive: true }));

/** Calls `hasPrograms` for a program in a new process whose `PATH` contains only the folder `bin`. */
function ask(name: string, environment: Record<string, string> = {}) {
  const code = `console.log(require('@postshelf/testing/programs').hasPrograms(['${name}'], 'the sea'))`;
  const options = { cwd: import.meta.dir, env: { PATH: bin, ...environment } };
  const { stdout, stderr, exitCode } = Bun.spawnSync([process.execPath, '-e', code], options);
  return { says: stdout.toString().trim(), warns: stderr.toString(), exitCode };
}

test('a missing program is reported with its package and the skipped tests, and is an error if CI is set', () => {
  const line = 'No setpriv on the PATH (apt-get install util-linux). SKIPPED: the sea';
  expect(ask('setpriv')).toEqual({ says: 'false', warns: `\n${line}\n\n`, exitCode: 0 });
  expect(ask('setpriv', { CI: 'true' })).toMatchObject({ says: '', warns: expect.stringContaining(line), exitCode: 1 });
});

test.each([
  [0, 'true', ''],
  [1, 'false', 'SKIPPED: the sea'],
])('strace counts as available only if it is allowed to trace: exit code %i', (code, says, warning) => {
  writeFileSync(join(bin, 'strace'), `#!/bin/sh\nexit ${code}\n`);
  chmodSync(join(bin, 'strace'), 0o755);
  expect(ask('strace')).toMatchObject({ says, warns: expect.stringContaining(warning) });
});
