import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { WORK_KINDS } from '../../src/fair-share/work-kinds.ts';

test('docs/operating/limits.md has a row for each kind of work that takes slots', () => {
  const text = readFileSync(resolve(import.meta.dir, '../../../../docs/operating/limits.md'), 'utf8');
  const [, section = ''] = text.split('## Slots by workspace');
  const [table = ''] = section.split('\n- ');
  const kinds = Array.from(table.matchAll(/^\| `(\w+)`/gm), ([, kind]) => kind ?? '');
  expect(kinds.sort()).toEqual([...WORK_KINDS].sort());
});
