// Writes the licenses of the packages that the program is built from into apps/server/dist/THIRD_PARTY_NOTICES, which
// `postshelf licenses` prints. It fails if the license of a package isn't allowed. install.mjs calls it, and check.mjs
// calls it with --check, which writes nothing.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Licenses under which the program may be distributed as a single executable. The LGPL requires that users can replace
 * the covered library; the MPL requires that the source of the covered files is available (docs/notices.md).
 */
const ALLOWED = new Set([
  '(MIT OR CC0-1.0)',
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'LGPL-3.0',
  'MIT',
  'MPL-2.0',
  'OFL-1.1',
  'Unlicense',
]);

/** Packages that are needed only to build the program, although another package lists them as runtime dependencies. */
const TOOLS = /^(?:typescript|@typescript\/|@types\/)/;

const RULE = `\n${'-'.repeat(80)}\n\n`;

const packages = installedPackages();
const refused = packages.filter(({ license }) => !ALLOWED.has(license));
if (refused.length > 0) {
  console.error('The program must not contain packages under these licences (see .dev/notices.mjs):');
  for (const { name, version, license } of refused) console.error(`  ${name} ${version}: ${license}`);
  process.exit(1);
}
if (!process.argv.includes('--check')) write(join(root, 'apps', 'server', 'dist', 'THIRD_PARTY_NOTICES'), notices());

/** Returns the packages that the server and the library in the browser need to run, sorted by name. */
function installedPackages() {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const wanted = ['server', 'web'].flatMap((name) => ['--filter-prod', `@postshelf/${name}...`]);
  const list = ['--yes', packageManager, ...wanted, 'licenses', 'list', '--prod', '--json'];
  const found = JSON.parse(execFileSync('npx', list, { cwd: root, encoding: 'utf8', maxBuffer: 1e8 }));
  return Object.values(found)
    .flat()
    .filter(({ name }) => !TOOLS.test(name))
    .flatMap(({ name, versions, paths, license, homepage }) =>
      paths.map((path, index) => ({ name, version: versions[index], path, license, homepage })),
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns the notices. Packages with the same texts are grouped. */
function notices() {
  const byText = new Map();
  for (const one of packages) {
    const text = textOf(one);
    byText.set(text, [...(byText.get(text) ?? []), one]);
  }
  const sections = [...byText].map(([text, of]) => {
    const lines = of.map(({ name, version, license, homepage }) => {
      return `${name} ${version} (${license})${homepage ? `, ${homepage}` : ''}`;
    });
    return `${lines.join('\n')}\n\n${text}\n`;
  });
  return [
    'Postshelf is under the MIT license. It is built from the following packages, and as one file it contains them.\n',
    `${read('docs', 'notices.md').trim()}\n`,
    `Bun, which runs the program and is part of it as one file\n\n${withoutFrontMatter(read('node_modules', 'bun-types', 'docs', 'project', 'license.mdx'))}\n`,
    ...sections,
  ].join(RULE);
}

/**
 * Returns the license of a package, and the notices that must be passed on with it (Apache License 2.0, section 4d).
 */
function textOf({ path, license }) {
  const texts = readdirSync(path)
    .filter((file) => /^(?:licen[cs]e|copying|unlicense|notice)/i.test(file))
    .sort()
    .map((file) => readFileSync(join(path, file), 'utf8').replaceAll('\r\n', '\n').trim());
  if (texts.length > 0) return texts.join('\n\n');
  return `The package has no text of its license: https://spdx.org/licenses/${license}.html`;
}

function read(...path) {
  return readFileSync(join(root, ...path), 'utf8');
}

function withoutFrontMatter(text) {
  return text.replace(/^---\n.*?\n---\n/s, '').trim();
}

/** Replaces the file atomically, because two installations may run at the same time. */
function write(file, text) {
  if (!existsSync(dirname(file))) mkdirSync(dirname(file), { recursive: true });
  const scratch = `${file}.${process.pid}`;
  writeFileSync(scratch, text);
  renameSync(scratch, file);
}
