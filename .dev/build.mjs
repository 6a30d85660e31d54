// Builds the program as a single executable. Without arguments, it builds dist/postshelf for this machine. With
// `--target linux-arm64` it builds dist/postshelf-linux-arm64; the option can be repeated, and `--target all` builds
// for every target.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
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
  // Identifiers aren't minified, because the log contains names of classes and functions.
  '--minify-syntax',
  '--minify-whitespace',
  '--sourcemap=inline',
  // With these options the program starts faster: it needn't parse source text, and dynamically imported modules aren't
  // read before they are used.
  '--bytecode',
  '--splitting',
  // Selects the ES modules of packages that also ship CommonJS (AWS, OpenTelemetry), because Bun can drop unused
  // exports only from ES modules.
  '--conditions=module',
  // The working directory isn't trusted, so its .env and bunfig.toml aren't read.
  '--no-compile-autoload-dotenv',
  '--no-compile-autoload-bunfig',
];

/** The entry point of the thread that scans the database. The compiled program starts the thread with this path. */
const READER_THREAD = './packages/database/src/reader-thread.ts';

/**
 * Maps each target to the file name of its SQLite addon, as listed under the import conditions `target-…` in
 * packages/database/package.json.
 */
const { imports } = JSON.parse(readFileSync(join(database, 'package.json'), 'utf8'));
const PREFIX = 'target-';
const addons = new Map(
  Object.entries(imports['#better-sqlite3'])
    .filter(([condition]) => condition.startsWith(PREFIX))
    .map(([condition, addon]) => [condition.slice(PREFIX.length), basename(addon)]),
);

/** The commit that the program reports. It is the repository's commit unless POSTSHELF_COMMIT is set. */
const commit =
  process.env.POSTSHELF_COMMIT ||
  spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).stdout?.trim() ||
  '';

/** The file with the licenses of the packages in the program. These texts have to be distributed with the program. */
const NOTICES = 'THIRD_PARTY_NOTICES';

const own = `${process.platform}-${process.arch}`;
const USAGE = `npm run build -- [--target ${[...addons.keys(), 'all'].join('|')}]…`;
try {
  const targets = readTargets();
  if (targets.length === 0) build(own, 'postshelf');
  for (const target of targets.includes('all') ? addons.keys() : targets) build(target, `postshelf-${target}`);
  // The program itself also contains this file, so that `postshelf licenses` can print it.
  copyFileSync(join(root, 'apps', 'server', 'dist', NOTICES), join(dist, NOTICES));
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
    throw new Error(`Cannot build for ${target}: better-sqlite3 has no prebuilt addon for it. Usage: ${USAGE}`);
  }
  mkdirSync(dist, { recursive: true });
  const scratch = mkdtempSync(join(dist, '.build-'));
  try {
    const output = join(scratch, name);
    const { status } = spawnSync(
      bun,
      [
        'build',
        ...FLAGS,
        `--define=POSTSHELF_COMMIT=${JSON.stringify(commit)}`,
        `--define=POSTSHELF_READER_THREAD=${JSON.stringify(READER_THREAD)}`,
        `--conditions=${PREFIX}${target}`,
        // Bun downloads the runtime of another platform from the npm registry.
        ...(target === own ? [] : [`--target=bun-${target}`]),
        // The two paths are relative to the working directory, because the compiled program finds its entry points by
        // exactly these paths.
        './apps/server/src/main.ts',
        READER_THREAD,
        `--outfile=${output}`,
      ],
      { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] },
    );
    if (status !== 0) throw new Error(`Building for ${target} failed; the lines above say why.`);
    renameSync(output, join(dist, name));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  const megabytes = (statSync(join(dist, name)).size / 1e6).toFixed(1);
  console.log(`dist/${name}  ${megabytes} MB`);
}
