import { afterAll, afterEach, expect, spyOn, test } from 'bun:test';
import { collectBuffers } from '../../src/telemetry/collect-buffers.ts';

const collect = spyOn(Bun, 'gc').mockImplementation(() => undefined);
afterEach(() => collect.mockClear());
afterAll(() => collect.mockRestore());

test('garbage is collected once for each so many bytes of chunks, whatever bodies they came in', () => {
  const owe = collectBuffers(() => 32);
  for (let chunk = 0; chunk < 96; chunk += 1) owe(1);
  expect(collect).toHaveBeenCalledTimes(3);
  expect(collect).toHaveBeenCalledWith(true);
});

test('a chunk larger than that is one collection', () => {
  collectBuffers(() => 32)(100);
  expect(collect).toHaveBeenCalledTimes(1);
});

test('two debts are counted apart', () => {
  const [one, two] = [collectBuffers(() => 32), collectBuffers(() => 32)];
  one(31);
  two(31);
  expect(collect).not.toHaveBeenCalled();
});

test('what is owed may change on the way', () => {
  let max = 32;
  const owe = collectBuffers(() => max);
  owe(20);
  expect(collect).not.toHaveBeenCalled();
  max = 12;
  owe(1);
  expect(collect).toHaveBeenCalledTimes(1);
});
