import { createHash, randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { run } from '../../support/run.ts';

const cache = resolve(import.meta.dir, '../../../../../node_modules/.cache/foreign');

const MANIFESTS = ['package.json', 'package-lock.json'];

/**
 * Installs packages that only a test wants, from a folder with a `package.json` and its `package-lock.json`. They are no
 * part of the workspace, so that `npm start` doesn't install them. Done once for each content of the two files; runs at
 * the same time don't disturb each other.
 *
 * @param folder an absolute path
 * @returns the folder that holds `node_modules`
 * @throws Error with what npm said when it fails
 */
export async function installed(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const name of MANIFESTS) hash.update(readFileSync(join(folder, name))).update('\0');
  const target = join(cache, hash.digest('hex').slice(0, 32));
  if (existsSync(target)) return target;
  const unfinished = `${target}.${randomUUID()}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    for (const name of MANIFESTS) copyFileSync(join(folder, name), join(unfinished, name));
    const env = { ...process.env };
    await run(['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: unfinished,
      env,
    });
    // The name appears with everything below it, or not at all.
    renameSync(unfinished, target);
  } catch (error) {
    // Another run was faster.
    if (!existsSync(target)) throw error;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return target;
}
