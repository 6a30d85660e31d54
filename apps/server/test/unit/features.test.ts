import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dir, '../../../..');

const section =
  readFileSync(join(root, 'docs/architecture.md'), 'utf8')
    .split(/^## /m)
    .find((part) => part.startsWith('Where to find a rule')) ?? '';

/** `domain/media/item.ts` is below `packages/domain/src`, and `name.ts` beside the file before it. */
function pathsOf(row: string): string[] {
  const paths: string[] = [];
  for (const [, name = ''] of (row.split('|')[3] ?? '').matchAll(/`([^`]*\/[^`]*|[^`]+\.ts)`/g)) {
    if (name.startsWith('/') || name.includes('WORD')) continue;
    const [, first = '', rest = ''] = /^([a-z]+)\/(.+)$/.exec(name) ?? [];
    if (['apps', 'packages'].includes(first)) paths.push(name);
    else if (existsSync(join(root, 'packages', first, 'src'))) paths.push(`packages/${first}/src/${rest}`);
    else paths.push(join(dirname(paths.at(-1) ?? ''), name));
  }
  return paths;
}

const rows = section.split('\n').filter((line) => line.startsWith('| `'));

test.each(rows.map((row) => [row.split('|')[1]?.trim(), pathsOf(row)] as const))(
  '%s: its files are there',
  (_, paths) => {
    expect(paths).not.toEqual([]);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  },
);
