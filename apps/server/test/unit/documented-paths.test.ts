import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dir, '../../../..');
const ACCEPTANCE = 'apps/server/test/acceptance';

/** Pages that developers read; `lab/results` is written by runs of the lab. */
const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** Paths of the repository that a page names; those with a placeholder (`NAME`, `WORD`) up to it. */
function pathsIn(page: string): string[] {
  const text = readFileSync(join(root, page), 'utf8');
  const full = [...text.matchAll(/(?<![\w/.-])((?:packages|apps|docs|\.dev|\.ci)\/[\w./-]*\w)/g)].map(
    ([, path = '']) => path,
  );
  const tests = [...text.matchAll(/`([\w-]+\/[\w-]+\.test\.ts)`/g)].map(([, path = '']) => `${ACCEPTANCE}/${path}`);
  return [...new Set([...full, ...tests].map((path) => path.replace(/\/(NAME|WORD)\b.*$/, '')))];
}

describe.each(pages)('%s', (page) => {
  test('names only paths that exist', () => {
    const missing = pathsIn(page).filter(
      (path) => !path.startsWith('apps/lab/results') && !existsSync(join(root, path)),
    );
    expect(missing).toEqual([]);
  });
});
