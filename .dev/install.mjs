// Installs the workspace's packages with the pnpm that package.json pins, unless they are already installed. With
// --program, it installs only the packages that the program needs at run time; otherwise, also those for the tools and
// the tests. Unless --packages is given, it then rebuilds the web app (apps/web) if its sources have changed, and
// collects the licenses of the packages that the compiled program contains.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const quiet = process.argv.includes('--quiet');
const stamp = join(root, 'node_modules', '.installed-from');
const bun = join(root, 'node_modules', 'bun', 'bin', 'bun.exe');

const state = createHash('sha256')
  .update(readFileSync(join(root, 'pnpm-lock.yaml')))
  .update(readFileSync(join(root, 'pnpm-workspace.yaml')))
  .digest('hex');

/** The packages to install with --program: the server, the library in the browser, and our packages that these use. */
const PROGRAM = ['server', 'web'].flatMap((name) => ['--filter-prod', `@postshelf/${name}...`]);

const isProgram = process.argv.includes('--program');
const wanted = [`${state} all`, ...(isProgram ? [`${state} program`] : [])];
const isInstalled = existsSync(stamp) && existsSync(bun) && wanted.includes(readFileSync(stamp, 'utf8'));
if (!isInstalled) {
  if (!isWritable(root)) {
    console.error(`Packages cannot be installed: ${root} cannot be written to. Run this as the user who owns it.`);
    process.exit(1);
  }
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  if (!quiet) console.log(`Installing packages with ${packageManager}; the first time takes a minute.`);
  // Nothing is written to standard output, because the output of the following command may be piped. The stamp is
  // removed first, so that a concurrent run doesn't take a half-finished installation for a complete one.
  rmSync(stamp, { force: true });
  const install = ['--yes', packageManager, ...(isProgram ? PROGRAM : []), 'install', '--frozen-lockfile'];
  const { status, error } = spawnSync('npx', install, {
    cwd: root,
    env: installing(),
    stdio: ['ignore', quiet ? 'ignore' : 2, 2],
  });
  if (status !== 0) {
    console.error(error ? `Could not run npx: ${error.message}` : 'Installing failed; the lines above say why.');
    process.exit(1);
  }
  writeFileSync(stamp, `${state} ${isProgram ? 'program' : 'all'}`);
}
if (process.argv.includes('--packages')) process.exit();

const notices = join(root, 'apps', 'server', 'dist', 'THIRD_PARTY_NOTICES');
const noticesStamp = join(root, 'apps', 'server', 'dist', '.notices-from');
const noticesState = createHash('sha256').update(state);
for (const path of ['.dev/notices.mjs', 'docs/notices.md']) noticesState.update(readFileSync(join(root, path)));
const collectedFrom = noticesState.digest('hex');
if (!existsSync(notices) || !existsSync(noticesStamp) || readFileSync(noticesStamp, 'utf8') !== collectedFrom) {
  const { status } = spawnSync(process.execPath, [join(root, '.dev', 'notices.mjs')], {
    cwd: root,
    env: { ...installing(), npm_config_loglevel: 'error' },
    stdio: ['ignore', 'ignore', 2],
  });
  if (status !== 0) process.exit(1);
  writeFileSync(noticesStamp, collectedFrom);
}

/** Files that affect the build of the web app (apps/web). */
const WEB_SOURCES = [
  ...['src', 'index.html', 'package.json', 'tsconfig.json', 'vite.config.ts'].map((name) => join('apps', 'web', name)),
  join('packages', 'client', 'src'),
  join('packages', 'domain', 'src'),
  join('packages', 'browser', 'src'),
  join('.dev', 'web.mjs'),
];

const packedWeb = join(root, 'apps', 'web', 'dist', 'web.tar');
const webStamp = join(root, 'apps', 'web', 'dist', '.built-from');

const webState = createHash('sha256').update(state);
for (const source of WEB_SOURCES)
  for (const path of filesBelow(source)) webState.update(path).update(readFileSync(join(root, path)));
const builtFrom = webState.digest('hex');

if (!existsSync(packedWeb) || !existsSync(webStamp) || readFileSync(webStamp, 'utf8') !== builtFrom) {
  if (!quiet) console.log('Building the library in the browser.');
  const { status } = spawnSync(bun, [join(root, '.dev', 'web.mjs')], { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) {
    console.error('Building the library in the browser failed; the lines above say why.');
    process.exit(1);
  }
  writeFileSync(webStamp, builtFrom);
}

/** Returns all files at or below a path, as sorted paths from the root. */
function filesBelow(path) {
  if (statSync(join(root, path)).isFile()) return [path];
  const entries = readdirSync(join(root, path), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)))
    .sort();
}

/**
 * Returns the environment for npm and pnpm. They keep downloads below HOME or, if HOME isn't writable, below
 * node_modules.
 */
function installing() {
  if (isWritable(homeFolder())) return process.env;
  const home = join(root, 'node_modules', '.home');
  mkdirSync(home, { recursive: true });
  if (!quiet && !isInstalled) console.error(`HOME cannot be written to, so downloaded packages are kept in ${home}.`);
  // If npm runs this script, it sets npm_config_cache to its own cache, which may be in the HOME that isn't writable.
  // Therefore the cache is set as well.
  return { ...process.env, HOME: home, npm_config_cache: join(home, '.npm') };
}

function homeFolder() {
  try {
    return homedir();
  } catch {
    // The user has neither HOME nor an entry in the system's list of users.
    return '';
  }
}

function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return statSync(folder).isDirectory();
  } catch {
    return false;
  }
}
