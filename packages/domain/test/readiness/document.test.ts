import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { networksDocument, staleRules, TARGETS } from '../../src/index.ts';

test('docs/networks.md is up to date (`npm run networks` updates it)', () => {
  const path = resolve(import.meta.dir, '../../../../docs/networks.md');
  expect(readFileSync(path, 'utf8')).toBe(networksDocument());
});

test('rules that were checked more than a year ago are stale, oldest first', () => {
  const dates = TARGETS.flatMap(({ rules }) => rules.map(({ checkedOn }) => Date.parse(checkedOn)));
  const [first, last] = [Math.min(...dates), Math.max(...dates)];
  const after = (date: number) => date + 365 * 24 * 60 * 60 * 1000;
  expect(staleRules(after(first))).toEqual([]);
  const stale = staleRules(after(last) + 1);
  expect(stale).toHaveLength(dates.length);
  expect(stale.map(({ checkedOn }) => Date.parse(checkedOn))).toEqual(dates.sort((a, b) => a - b));
});
