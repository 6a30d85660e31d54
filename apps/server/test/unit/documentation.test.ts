import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { givenSettings } from '../../src/config/config.ts';

const root = join(import.meta.dir, '../../../..');
const ACCEPTANCE = 'apps/server/test/acceptance';

/** The pages that developers read. Those in `lab/results` are left out, because runs of the lab write them. */
const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** The paths within the repository that a page mentions. A path with a placeholder (`NAME`, `WORD`) ends before it. */
function pathsIn(page: string): string[] {
  const text = readFileSync(join(root, page), 'utf8');
  const full = [...text.matchAll(/(?<![\w/.-])((?:packages|apps|docs|\.dev|\.ci)\/[\w./-]*\w)/g)].map(
    ([, path = '']) => path,
  );
  const tests = [...text.matchAll(/`([\w-]+\/[\w-]+\.test\.ts)`/g)].map(([, path = '']) => `${ACCEPTANCE}/${path}`);
  return [...new Set([...full, ...tests].map((path) => path.replace(/\/(NAME|WORD)\b.*$/, '')))];
}

const withoutCode = (text: string) => text.replace(/^```.*?^```/gms, '');

/** The anchors that GitHub gives to a page's sections. */
const chaptersOf = (page: string): readonly string[] =>
  Array.from(withoutCode(readFileSync(join(root, page), 'utf8')).matchAll(/^#+ (.*)$/gm), ([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );

/** The links of a page within the repository: to a file, to a section of a file, or to a section of the page itself. */
const linksIn = (page: string): readonly string[] =>
  Array.from(
    withoutCode(readFileSync(join(root, page), 'utf8')).matchAll(/\]\((?![a-z]+:|\/)([^)\s]+)\)/g),
    ([, link = '']) => link,
  );

function leadsNowhere(page: string, link: string): boolean {
  const [path = '', chapter] = link.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  if (!existsSync(join(root, target))) return true;
  return chapter !== undefined && !chaptersOf(target).includes(chapter);
}

describe.each(pages)('%s', (page) => {
  test('names only paths that exist', () => {
    const missing = pathsIn(page).filter(
      (path) => !path.startsWith('apps/lab/results') && !existsSync(join(root, path)),
    );
    expect(missing).toEqual([]);
  });
  test('links only to files and sections that exist', () => {
    expect(linksIn(page).filter((link) => leadsNowhere(page, link))).toEqual([]);
  });
});

test('docs/operating/settings.md has a row for every setting, and no other rows', () => {
  const text = readFileSync(join(root, 'docs/operating/settings.md'), 'utf8');
  const named = Array.from(text.matchAll(/^\| (`.*?) +\|/gm), ([, cell = '']) => cell.replaceAll('`', '').split(', '));
  expect(named.flat().sort()).toEqual(Object.keys(givenSettings({}).defaults).sort());
});
