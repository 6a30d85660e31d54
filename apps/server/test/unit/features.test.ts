import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dir, '../../../..');
const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8');

const words = Array.from(text.split(/^## /m)[2]?.matchAll(/^\| `([a-z-]+)` /gm) ?? [], ([, word = '']) => word);

/** The folders whose direct subfolders are features. */
const FLOORS = ['domain/src', 'application/src', 'api/src/operations'];

const foldersOf = (floor: string): readonly string[] =>
  readdirSync(join(root, 'packages', floor), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

describe('the list of features in docs/architecture.md', () => {
  test.each(FLOORS)('includes each folder of packages/%s', (floor) => {
    expect(foldersOf(floor).filter((folder) => !words.includes(folder))).toEqual([]);
  });

  test('names only features that have a folder in a package', () => {
    const floors = [...FLOORS, 'database/src', 'media/src'];
    const folders = new Set(floors.flatMap(foldersOf));
    expect(words.length).toBeGreaterThan(30);
    expect(words.filter((word) => !folders.has(word))).toEqual([]);
  });
});

test('the steps of "Add an operation" quote code that exists', () => {
  const [, section = ''] = text.split('## Add an operation\n');
  const [steps = ''] = section.split(/^## /m);
  const parts = steps.split(/^\*\*(?=\d\.)/m).slice(1);
  for (const part of parts) {
    const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(part) ?? [];
    const paths = Array.from(part.matchAll(/`([a-z/-]+\/[a-z/.-]+\.ts)`/g), ([, path = '']) => path);
    const sources = paths
      .map((path) => (path.startsWith('packages') ? path : join('apps/server/test/acceptance', path)))
      .filter((path) => existsSync(join(root, path)))
      .map((path) => readFileSync(join(root, path), 'utf8'));
    const lines = code.split('\n').map((line) => line.trim());
    const quoted = lines.filter((line) => line !== '' && !line.startsWith('// …'));
    expect(quoted.filter((line) => !sources.some((source) => source.includes(line)))).toEqual([]);
  }
  expect(parts).toHaveLength(9);
});

const decisions = join(root, 'docs/decisions');
test.each(readdirSync(decisions))('the decision %s begins with its date and status', (name) => {
  const [, , status] = readFileSync(join(decisions, name), 'utf8').split('\n');
  expect(status).toMatch(/^\d{4}-\d\d-\d\d(?:, revised \d{4}-\d\d-\d\d)?\. (?:Accepted|Replaced by \[.+)\./);
});
