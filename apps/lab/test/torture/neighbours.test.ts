import { describe, expect, test } from 'bun:test';
import type { Waits } from '../../src/torture/neighbours/probe/request-loop.ts';
import { judge, type Row, tableOf } from '../../src/torture/neighbours/report.ts';

const waits = (longest: number, isOpen = false): Waits => ({
  ...{ done: 10, median: 1, p99: 2, longestAt: 0, refusals: {} },
  ...{ longest, own: longest, isOpen },
});

const calm = {
  ...{ bare: waits(5), health: waits(5), request: waits(5) },
  ...{ image: waits(50), import: waits(50), cover: waits(500), preview: waits(100), fit: waits(900) },
};

const row = (given: Partial<Row> = {}): Row => ({
  ...{ name: 'any', about: 'Anything', alone: calm, attacked: calm, findings: [] },
  memory: { alone: 100, attacked: 120 },
  ...given,
});

test('the printed table has a row for each attack', () => expect(tableOf([row()])).toContain('Anything'));

describe('the verdict on an attack', () => {
  test('passes if everything is within its limit', () => {
    expect(judge(row())).toEqual({ violated: [], excused: [] });
  });

  test('names each wait, the memory and every other finding that exceeds its limit', () => {
    const attacked = { ...calm, health: waits(300), image: waits(5100), cover: waits(50_000) };
    const findings = [{ what: 'disk left free', value: '0 MB', isKept: false }];
    const { violated } = judge(row({ attacked, findings, memory: { alone: 100, attacked: 301 } }));
    expect(violated).toEqual(['`/health` 300 ms', 'image 5.1 s', '301 MB', 'disk left free: 0 MB']);
  });

  test('excuses waits that occur on the bare server too', () => {
    const attacked = { ...calm, health: waits(400), bare: waits(200) };
    expect(judge(row({ attacked }))).toEqual({ violated: [], excused: ['`/health` 400 ms'] });
  });

  test('excuses a request that was slow because it waited for a CPU', () => {
    const health = waits(700);
    expect(judge(row({ attacked: { ...calm, health } })).violated).toEqual(['`/health` 700 ms']);
    const attacked = { ...calm, health: { ...health, own: 200 } };
    expect(judge(row({ attacked }))).toEqual({ violated: [], excused: ['`/health` 700 ms (200 ms)'] });
  });

  test('excuses an image refused for lack of disk space', () => {
    const image = { ...waits(60_000, true), refusals: { 507: 3 } };
    expect(judge(row({ attacked: { ...calm, image } })).violated).toEqual([]);
  });

  test('does not excuse an image that was never stored', () => {
    const attacked = { ...calm, image: waits(60_000, true), bare: waits(60_000) };
    expect(judge(row({ attacked })).violated).toEqual(['image > 60.0 s']);
  });
});
