// Packs the elements for publishing and unpacks them into an empty folder, as a package manager does.
//   node install.mjs FOLDER
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const elements = join(dirname(fileURLToPath(import.meta.url)), '../..');
const repository = join(elements, '../..');
const [folder] = process.argv.slice(2);
if (!folder) throw new Error('Usage: node install.mjs FOLDER');
const installed = join(folder, 'node_modules/@postshelf/elements');
mkdirSync(installed, { recursive: true });

// Packing includes the build, which takes some seconds, so the tarball is cached by a digest of its sources. The lock
// keeps simultaneous test runs from deleting each other's build output.
const kept = join(repository, 'node_modules/.cache/elements', `${digest()}.tgz`);
mkdirSync(dirname(kept), { recursive: true });
const { version } = JSON.parse(readFileSync(join(elements, 'package.json'), 'utf8'));
const pack = 'test -f "$0" || { npm pack --silent --pack-destination "$1" && mv "$1/$2" "$0"; }';
const named = ['sh', '-c', pack, kept, folder, `postshelf-elements-${version}.tgz`];
execFileSync('flock', [join(elements, 'package.json'), ...named], {
  cwd: elements,
  stdio: ['ignore', 'ignore', 'inherit'],
});
const tarball = join(folder, 'elements.tgz');
copyFileSync(kept, tarball);
execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed]);

/** A digest of everything that the package is built from: its own files, and those of the client that it bundles. */
function digest() {
  const names = ['src', 'README.md', 'LICENSE', 'package.json', 'build.mjs', 'vite.config.ts'];
  const own = names.map((name) => join(elements, name));
  const shared = ['packages/client/src', 'tsconfig.base.json', 'pnpm-lock.yaml'].map((name) => join(repository, name));
  const hash = createHash('sha256');
  for (const path of [...own, ...shared].flatMap(filesIn).sort())
    hash.update(path).update('\0').update(readFileSync(path)).update('\0');
  return hash.digest('hex').slice(0, 32);
}

function filesIn(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path).flatMap((name) => filesIn(join(path, name)));
}
