// Packs the client for publishing and installs it into an empty folder, as a package manager does, but offline: its
// peer dependencies are linked from this repository.   node install.mjs FOLDER
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const client = join(dirname(fileURLToPath(import.meta.url)), '../..');
const repository = join(client, '../..');
const [folder] = process.argv.slice(2);
if (!folder) throw new Error('Usage: node install.mjs FOLDER');
const modules = join(folder, 'node_modules');
const installed = join(modules, '@postshelf/client');
mkdirSync(installed, { recursive: true });

// Packing includes the build, which takes some seconds, so the tarball is cached by a digest of its sources. The lock
// keeps simultaneous test runs from deleting each other's build output.
const kept = join(repository, 'node_modules/.cache/client', `${digest()}.tgz`);
mkdirSync(dirname(kept), { recursive: true });
const { version } = JSON.parse(readFileSync(join(client, 'package.json'), 'utf8'));
const pack = 'test -f "$0" || { npm pack --silent --pack-destination "$1" && mv "$1/$2" "$0"; }';
const named = ['sh', '-c', pack, kept, folder, `postshelf-client-${version}.tgz`];
execFileSync('flock', [join(client, 'package.json'), ...named], {
  cwd: client,
  stdio: ['ignore', 'ignore', 'inherit'],
});
const tarball = join(folder, 'client.tgz');
copyFileSync(kept, tarball);
execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed]);

const { peerDependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
for (const name of Object.keys(peerDependencies)) {
  const link = join(modules, name);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(realpathSync(join(client, 'node_modules', name)), link);
}
writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');

/** A digest of what the package is built from: its own files, and the router's, from which its types are inferred. */
function digest() {
  const own = ['src', 'README.md', 'LICENSE', 'package.json', 'build.mjs'].map((name) => join(client, name));
  const router = ['api', 'application', 'domain'].map((name) => join(repository, 'packages', name, 'src'));
  const tools = ['tsconfig.base.json', 'pnpm-lock.yaml'].map((name) => join(repository, name));
  const hash = createHash('sha256');
  for (const path of [...own, ...router, ...tools].flatMap(filesIn).sort())
    hash.update(path).update('\0').update(readFileSync(path)).update('\0');
  return hash.digest('hex').slice(0, 32);
}

function filesIn(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path).flatMap((name) => filesIn(join(path, name)));
}
