// Packs the client as it is published and installs it into an empty folder, as a package manager does but offline:
// its peers come from here.   node install.mjs FOLDER
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, realpathSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const client = join(dirname(fileURLToPath(import.meta.url)), '../..');
const [folder] = process.argv.slice(2);
if (!folder) throw new Error('Which folder? node install.mjs FOLDER');
const modules = join(folder, 'node_modules');
const installed = join(modules, '@postshelf/client');
mkdirSync(installed, { recursive: true });

// Packing builds, and builds of two test runs at once would take each other's files away.
const pack = ['npm', 'pack', '--silent', '--pack-destination', folder];
execFileSync('flock', [join(client, 'package.json'), ...pack], { cwd: client, stdio: ['ignore', 'ignore', 'inherit'] });
const { version } = JSON.parse(readFileSync(join(client, 'package.json'), 'utf8'));
const tarball = join(folder, 'client.tgz');
renameSync(join(folder, `postshelf-client-${version}.tgz`), tarball);
execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed]);

const { peerDependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
for (const name of Object.keys(peerDependencies)) {
  const link = join(modules, name);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(realpathSync(join(client, 'node_modules', name)), link);
}
writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
