// Packs a package for publishing and unpacks it into an empty folder, as a package manager does, but offline: its peer
// dependencies are linked from this repository.   bun install.mjs client|elements FOLDER
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

const [name, folder] = process.argv.slice(2);
if (!name || !folder) throw new Error('Usage: bun install.mjs client|elements FOLDER');
const packages = join(import.meta.dirname, '../../..');
const repository = dirname(packages);
const source = join(packages, name);
const modules = join(folder, 'node_modules');
const installed = join(modules, '@postshelf', name);

const tarball = join(folder, `${name}.tgz`);
copyFileSync(packed(), tarball);
await new Bun.Archive(readFileSync(tarball)).extract(folder);
mkdirSync(dirname(installed), { recursive: true });
renameSync(join(folder, 'package'), installed);

const { peerDependencies = {} } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
for (const peer of Object.keys(peerDependencies)) {
  const link = join(modules, peer);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(realpathSync(join(source, 'node_modules', peer)), link);
}
writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');

/**
 * Packs the package, and returns the path of the file. Packing includes the build, which takes several seconds, so the
 * file is cached by a digest of its sources.
 */
function packed() {
  const cache = join(repository, 'node_modules/.cache', name);
  const kept = join(cache, `${digest()}.tgz`);
  mkdirSync(cache, { recursive: true });
  const unlock = lock(join(cache, 'lock'));
  try {
    if (!existsSync(kept)) {
      execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], {
        cwd: source,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
      const made = join(folder, `postshelf-${name}-${version}.tgz`);
      copyFileSync(made, `${kept}.new`);
      renameSync(`${kept}.new`, kept);
      rmSync(made);
    }
  } finally {
    unlock();
  }
  return kept;
}

/**
 * Waits for other test runs, which would delete the build output of this one.
 *
 * @returns a function that releases the lock
 */
function lock(path) {
  for (;;) {
    try {
      writeFileSync(path, String(process.pid), { flag: 'wx' });
      return () => rmSync(path);
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      if (isLeftBehind(path)) rmSync(path, { force: true });
      else Bun.sleepSync(100);
    }
  }
}

/** Whether the process that took a lock was killed. */
function isLeftBehind(path) {
  try {
    const pid = Number(readFileSync(path, 'utf8'));
    if (pid > 0) process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/**
 * Returns a digest of everything that determines the package: its own files, the sources from which its types are
 * inferred, and the tools' configuration.
 */
function digest() {
  const own = ['src', 'README.md', 'LICENSE', 'package.json', 'build.mjs', 'vite.config.ts'];
  const shared = ['api', 'application', 'browser', 'client', 'domain'].map((each) => join(packages, each, 'src'));
  const tools = ['tsconfig.base.json', 'pnpm-lock.yaml'].map((each) => join(repository, each));
  const hash = createHash('sha256');
  const paths = [...own.map((each) => join(source, each)), ...shared, ...tools].filter((path) => existsSync(path));
  for (const path of paths.flatMap(filesIn).sort())
    hash.update(path).update('\0').update(readFileSync(path)).update('\0');
  return hash.digest('hex').slice(0, 32);
}

function filesIn(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path).flatMap((each) => filesIn(join(path, each)));
}
