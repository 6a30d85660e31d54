import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dir, '../../../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const manifests: readonly Manifest[] = [
  'package.json',
  '.dev/package.json',
  ...['packages', 'apps'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => `${folder}/${name}/package.json`),
  ),
]
  .filter((path) => existsSync(join(root, path)))
  .map((path) => JSON.parse(read(path)));

const isOurs = (name: string): boolean => name.startsWith('@postshelf/');

/** The packages that only checks, tests and benchmarks need. They aren't installed with the service or the client. */
const TOOLS = ['@postshelf/tools', '@postshelf/testing', '@postshelf/harness', '@postshelf/lab'];

/** The third-party packages that the service or the client contains. */
const carried = new Set(
  manifests
    .filter(({ name }) => !TOOLS.includes(name))
    .flatMap(({ dependencies, peerDependencies }) => Object.keys({ ...dependencies, ...peerDependencies }))
    .filter((name) => !isOurs(name)),
);

/** The third-party packages that any manifest names. */
const named = new Set(
  manifests
    .flatMap(({ dependencies, devDependencies }) => Object.keys({ ...dependencies, ...devDependencies }))
    .filter((name) => !isOurs(name)),
);

/** Whether a row of the table is about a package. `@scope/*` is about every package of that scope. */
const matches = (row: string, name: string): boolean =>
  row.endsWith('/*') ? name.startsWith(row.slice(0, -1)) : row === name;

const section =
  read('docs/architecture.md')
    .split(/^## /m)
    .find((part) => part.startsWith('Dependencies, and why')) ?? '';
const rows = [...section.matchAll(/^\| ((?:development: )?)(`.*?`) +\|/gm)].flatMap(([, mark, names = '']) =>
  [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => ({ name, isForDevelopment: mark !== '' })),
);

describe('the table of dependencies in docs/architecture.md', () => {
  test.each([...named])('lists %s', (name) => {
    const found = rows.filter((row) => matches(row.name, name));
    expect(found).toEqual([{ name: expect.any(String), isForDevelopment: !carried.has(name) }]);
  });

  test.each(rows.map(({ name }) => name))('names %s only if a package depends on it', (row) => {
    expect([...named].filter((name) => matches(row, name))).not.toEqual([]);
  });
});

test('the catalog of pnpm-workspace.yaml has exactly the dependencies of the packages', () => {
  const [, catalog = ''] = /^catalog:\n((?: {2}.*\n)+)/m.exec(read('pnpm-workspace.yaml')) ?? [];
  const names = [...catalog.matchAll(/^ {2}"?([^":\n]+)"?: /gm)].map(([, name]) => name);
  expect(names.sort()).toEqual([...named].sort());
});
