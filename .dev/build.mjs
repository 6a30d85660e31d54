// Builds the program as one file that needs nothing beside it: dist/postshelf for this machine, or with
// `--target linux-arm64` (repeatable; `all` is every one) dist/postshelf-linux-arm64 and so on.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const bun = join(root, 'node_modules', 'bun', 'bin', 'bun.exe');
const database = join(root, 'packages', 'database');

const FLAGS = [
  '--compile',
  '--format=esm',
  // Not the identifiers: the log names classes and functions.
  '--minify-syntax',
  '--minify-whitespace',
  '--sourcemap=inline',
  // Start: nothing is left to parse, and what is imported where it is used stays unread until then.
  '--bytecode',
  '--splitting',
  // What packages offer to bundlers in place of CommonJS (AWS, OpenTelemetry), so that unused parts stay out.
  '--conditions=module',
  // The folder it is started in belongs to nobody we know.
  '--no-compile-autoload-dotenv',
  '--no-compile-autoload-bunfig',
];

/** The programs of threads, those that scan and the one that hashes: entries of their own, which the program names as they are named here. */
const READER_THREAD = './packages/database/src/reader-thread.ts';
const HASH_THREAD = './packages/storage/src/hash-thread.ts';

/** Each target's condition in packages/database/package.json names the one SQLite addon to take in. */
const { imports } = JSON.parse(readFileSync(join(database, 'package.json'), 'utf8'));
const PREFIX = 'target-';
const addons = new Map(
  Object.entries(imports['#better-sqlite3'])
    .filter(([condition]) => condition.startsWith(PREFIX))
    .map(([condition, addon]) => [condition.slice(PREFIX.length), basename(addon)]),
);

/** What the file says of itself: the commit it is built from, unless whoever builds it elsewhere says so. */
const commit =
  process.env.POSTSHELF_COMMIT ||
  spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).stdout?.trim() ||
  '';

const own = `${process.platform}-${process.arch}`;
const USAGE = `npm run build -- [--target ${[...addons.keys(), 'all'].join('|')}]…`;
try {
  const wanted = readTargets();
  if (wanted.length === 0) build(own, 'postshelf');
  const targets = wanted.includes('all') ? addons.keys() : wanted;
  for (const target of targets) build(target, `postshelf-${target}`);
} catch (error) {
  console.error(error.message);
  process.exit(1);
}

function readTargets() {
  try {
    return parseArgs({ options: { target: { type: 'string', multiple: true, default: [] } } }).values.target;
  } catch (cause) {
    throw new Error(`${cause.message}. Usage: ${USAGE}`, { cause });
  }
}

function build(target, name) {
  const addon = addons.get(target);
  const file = join(database, 'node_modules', 'better-sqlite3', 'prebuilds', `${addon}.node`);
  if (!addon || !existsSync(file)) {
    const reason = 'better-sqlite3 brings no addon that Postshelf takes in';
    throw new Error(`Nothing is built for ${target}: ${reason}. Usage: ${USAGE}`);
  }
  mkdirSync(dist, { recursive: true });
  const scratch = mkdtempSync(join(dist, '.build-'));
  try {
    const made = join(scratch, name);
    const { status } = spawnSync(
      bun,
      [
        'build',
        ...FLAGS,
        `--define=POSTSHELF_COMMIT=${JSON.stringify(commit)}`,
        `--define=POSTSHELF_READER_THREAD=${JSON.stringify(READER_THREAD)}`,
        `--define=POSTSHELF_HASH_THREAD=${JSON.stringify(HASH_THREAD)}`,
        `--conditions=${PREFIX}${target}`,
        // Bun fetches the runtime of another platform from the npm registry.
        ...(target === own ? [] : [`--target=bun-${target}`]),
        // Relative to the folder in which this runs, as an entry is found again by that name.
        './apps/server/src/main.ts',
        READER_THREAD,
        HASH_THREAD,
        `--outfile=${made}`,
      ],
      { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] },
    );
    if (status !== 0) throw new Error(`Building for ${target} failed; the lines above say why.`);
    renameSync(made, join(dist, name));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  const megabytes = (statSync(join(dist, name)).size / 1e6).toFixed(1);
  console.log(`dist/${name}  ${megabytes} MB`);
}
