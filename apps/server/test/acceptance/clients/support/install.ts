import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../support/run.ts';

/**
 * Installs packages that only a test needs. They aren't part of the workspace, so `npm start` doesn't install them.
 * They are installed with Bun, which uses its own cache and needs only a tenth of the time that npm takes.
 *
 * @param from a folder with `package.json` and `bun.lock`
 * @param into the folder that gets `node_modules`
 * @throws Error with Bun's output if the installation fails
 */
export async function installPackages(from: string, into: string): Promise<void> {
  for (const name of ['package.json', 'bun.lock']) copyFileSync(join(from, name), join(into, name));
  const options = ['--frozen-lockfile', '--ignore-scripts', '--no-progress'];
  await run([process.execPath, 'install', ...options], { cwd: into, env: { ...process.env } });
}
