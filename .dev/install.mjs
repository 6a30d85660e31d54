// Installs the workspace's packages unless they are there already, with the pnpm that package.json pins.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const quiet = process.argv.includes('--quiet');
const stamp = join(root, 'node_modules', '.installed-from');
const bun = join(root, 'node_modules', 'bun', 'bin', 'bun.exe');

const state = createHash('sha256')
  .update(readFileSync(join(root, 'pnpm-lock.yaml')))
  .update(readFileSync(join(root, 'pnpm-workspace.yaml')))
  .digest('hex');

const isInstalled = existsSync(stamp) && existsSync(bun) && readFileSync(stamp, 'utf8') === state;
if (!isInstalled) {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  if (!quiet) console.log(`Installing packages with ${packageManager}; the first time takes a minute.`);
  // Standard output belongs to the command that follows: whoever pipes it wants nothing else in it.
  const { status, error } = spawnSync('npx', ['--yes', packageManager, 'install', '--frozen-lockfile'], {
    cwd: root,
    stdio: ['ignore', quiet ? 'ignore' : 2, 2],
  });
  if (status !== 0) {
    console.error(error ? `Could not run npx: ${error.message}` : 'Installing failed; the lines above say why.');
    process.exit(1);
  }
  writeFileSync(stamp, state);
}
