import { afterEach, expect, spyOn, test } from 'bun:test';
import { owe } from '../../src/buffer-debt.ts';

const MIB = 1024 * 1024;

const collect = spyOn(Bun, 'gc').mockImplementation(() => undefined);
afterEach(() => collect.mockClear());

test('garbage is collected once for each 32 MiB of chunks, whatever bodies they came in', () => {
  for (let chunk = 0; chunk < 96; chunk += 1) owe(MIB);
  expect(collect).toHaveBeenCalledTimes(3);
  expect(collect).toHaveBeenCalledWith(true);
});

test('a chunk larger than that is one collection', () => {
  owe(100 * MIB);
  expect(collect).toHaveBeenCalledTimes(1);
});
