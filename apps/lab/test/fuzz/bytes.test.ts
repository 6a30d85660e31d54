import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { makeBytes, SEED_NAMES, seedBytes } from '../../src/fuzz/bytes/bytes.ts';
import { brokenMedia, layoutOf } from '../../src/fuzz/formats/mutation.ts';
import { inspect, playInspection } from '../../src/fuzz/targets/inspect.ts';

test('a fuzzing case makes at most 10 MB, and makes the same bytes after a JSON round trip', () => {
  const many = { repeat: { repeat: 'abc', times: 1e9 }, times: 1e9 };
  expect(makeBytes([many, many]).length).toBeLessThan(10 * 1024 * 1024);
  const isSame = fc.property(brokenMedia, (media) => {
    expect(makeBytes(JSON.parse(JSON.stringify(media)))).toEqual(makeBytes(media));
  });
  fc.assert(isSame, { numRuns: 50 });
});

test('the inspector reports plausible details or none for mutated files, and none for truncated files', async () => {
  const isSound = fc.asyncProperty(inspect.cases, async (given) => {
    expect((await playInspection(given)).complaints).toEqual([]);
  });
  await fc.assert(isSound, { numRuns: 1000, seed: 1 });
});

test.each([...SEED_NAMES])('the layout of %s lists fields and units that lie within the file', (name) => {
  const { fields, units } = layoutOf(name);
  const { length } = seedBytes(name);
  expect([fields.length > 10, units.length > 0]).toEqual([true, true]);
  for (const { from, to } of units) expect(from >= 0 && from < to && to <= length).toBe(true);
  for (const { at, length: bytes } of fields) expect(at + bytes).toBeLessThanOrEqual(length);
});
