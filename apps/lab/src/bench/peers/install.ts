import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Versions of the other services on npm. */
const PACKAGES = { directus: '11.3.5', '@tus/server': '2.4.5', '@tus/file-store': '2.1.1' } as const;

/** A file that says that the installation is complete. */
const STAMP = '.installed';

/**
 * Installs the peers into a folder for temporary files, where the next run finds them. Returns the folder; null where they
 * can't be installed: no npm, no registry, no compiler for their addons.
 */
export async function installPeers(progress: (line: string) => void): Promise<string | null> {
  const wanted = JSON.stringify({ private: true, dependencies: PACKAGES }, null, 2);
  const folder = join(tmpdir(), `postshelf-bench-peers-${Bun.hash(wanted).toString(36)}`);
  if (existsSync(join(folder, STAMP))) return folder;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), wanted);
  progress(`installing Directus and tus-node-server into ${folder}, which takes some minutes`);
  if (!(await install(folder))) return null;
  await writeFile(join(folder, STAMP), '');
  return folder;
}

async function install(cwd: string): Promise<boolean> {
  if (Bun.which('npm') === null || Bun.which('node') === null) return false;
  const child = Bun.spawn(['npm', 'install', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return (await child.exited) === 0;
}
