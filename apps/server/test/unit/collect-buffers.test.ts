import { afterAll, afterEach, expect, spyOn, test } from 'bun:test';
import { collectBuffers, collectObjects } from '../../src/telemetry/collect-buffers.ts';

const collect = spyOn(Bun, 'gc').mockImplementation(() => undefined);
afterEach(() => collect.mockClear());
afterAll(() => collect.mockRestore());

test('collects garbage once for each so many bytes of chunks', () => {
  const count = collectBuffers(() => 32);
  for (let chunk = 0; chunk < 96; chunk += 1) count(1);
  expect(collect).toHaveBeenCalledTimes(3);
  expect(collect).toHaveBeenCalledWith(true);
});

test('collects once for a chunk larger than that', () => {
  collectBuffers(() => 32)(100);
  expect(collect).toHaveBeenCalledTimes(1);
});

test('counts uploads and imports separately', () => {
  const [one, two] = [collectBuffers(() => 32), collectBuffers(() => 32)];
  one(31);
  two(31);
  expect(collect).not.toHaveBeenCalled();
});

test('follows a limit that changes', () => {
  let max = 32;
  const count = collectBuffers(() => max);
  count(20);
  expect(collect).not.toHaveBeenCalled();
  max = 12;
  count(1);
  expect(collect).toHaveBeenCalledTimes(1);
});

test('collects the objects of a body once for each 256 KB of it', () => {
  let collections = 0;
  const count = collectObjects(() => {
    collections += 1;
  });
  for (let line = 0; line < 1024; line += 1) count(1024);
  expect(collections).toBe(4);
});
