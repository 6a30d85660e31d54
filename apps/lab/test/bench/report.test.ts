import { expect, test } from 'bun:test';
import { reaches } from '../../src/bench/benchmark.ts';
import { tableOf } from '../../src/bench/report.ts';

test('a goal is reached at its very value', () => {
  const figure = { what: 'x', value: 5, unit: 'ratio' };
  expect(reaches(figure)).toBeNull();
  expect(reaches({ ...figure, goal: { kind: 'at least', value: 5 } })).toBe(true);
  expect(reaches({ ...figure, goal: { kind: 'at least', value: 5.1 } })).toBe(false);
  expect(reaches({ ...figure, goal: { kind: 'at most', value: 5 } })).toBe(true);
  expect(reaches({ ...figure, goal: { kind: 'at most', value: 4.9 } })).toBe(false);
});

test('the table shows medians, their rounds and missed goals', () => {
  const table = tableOf({
    benchmark: 'thing',
    about: 'About the thing.',
    command: 'npm run bench -- thing',
    date: '2026-11-21T10:00:00.000Z',
    machine: 'a machine',
    figures: [
      {
        what: 'ours ÷ limit',
        value: 0.51239,
        unit: 'ratio',
        spread: [0.4, 0.6],
        goal: { kind: 'at least', value: 0.6 },
      },
      { what: 'peak', value: 120, unit: 'MB', goal: { kind: 'at most', value: 150 } },
    ],
  });
  expect(table).toContain('`npm run bench -- thing` on 2026-11-21; a machine');
  expect(table).toContain('| ours ÷ limit | 0.5124 ratio | 0.4 – 0.6 | at least 0.6 (missed) |');
  expect(table).toContain('| peak | 120 MB |  | at most 150 |');
});
