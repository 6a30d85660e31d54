import { afterEach, beforeEach, expect, test } from 'bun:test';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const repository = resolve(import.meta.dir, '../../../..');

/** The folder with a checkout in which nothing is installed, and with a fake npx that records its arguments. */
let folder: string;
const checkout = () => join(folder, 'checkout');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'postshelf-install-'));
  for (const name of ['.dev', 'package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'])
    cpSync(join(repository, name), join(checkout(), name), { recursive: true });
  writeFileSync(
    join(folder, 'npx'),
    `#!/bin/sh\nmkdir -p node_modules/bun/bin\ntouch node_modules/bun/bin/bun.exe
echo "$HOME $npm_config_cache" >${folder}/given\necho "$@" >>${folder}/calls\n`,
  );
  chmodSync(join(folder, 'npx'), 0o755);
});
afterEach(() => rmSync(folder, { recursive: true }));

function install(
  environment: Readonly<Record<string, string>>,
  ...options: string[]
): { code: number; stderr: string; given: string } {
  const env = { PATH: `${folder}:${process.env.PATH}`, npm_config_cache: '/nonexistent/.npm', ...environment };
  const script = join(checkout(), '.dev/install.mjs');
  const command = ['node', script, '--packages', ...options];
  const { exitCode, stderr } = Bun.spawnSync(command, { env, stderr: 'pipe', stdout: 'ignore' });
  const given = join(folder, 'given');
  return { code: exitCode, stderr: stderr.toString(), given: existsSync(given) ? readFileSync(given, 'utf8') : '' };
}

test('downloaded packages are kept in HOME', () => {
  const home = join(folder, 'home');
  mkdirSync(home);
  expect(install({ HOME: home })).toMatchObject({ code: 0, stderr: '', given: `${home} /nonexistent/.npm\n` });
});

test.each([
  ['does not exist', '/nonexistent'],
  ['is empty', ''],
  ['is not a folder', '/dev/null'],
])('downloaded packages are kept in the checkout if HOME %s, with a warning', (_, home) => {
  const own = join(checkout(), 'node_modules/.home');
  expect(install({ HOME: home })).toEqual({
    code: 0,
    stderr: `HOME cannot be written to, so downloaded packages are kept in ${own}.\n`,
    given: `${own} ${own}/.npm\n`,
  });
});

test('the development tools are installed unless --program is given, and nothing is installed twice', () => {
  const calls = () => readFileSync(join(folder, 'calls'), 'utf8').trimEnd().split('\n');
  const home = { HOME: folder };
  install(home, '--program');
  install(home, '--program');
  expect(calls()).toEqual([expect.stringContaining('--filter-prod @postshelf/server...')]);
  install(home);
  expect(calls().slice(1)).toEqual([expect.not.stringContaining('filter')]);
  install(home, '--program');
  expect(calls()).toHaveLength(2);
});
