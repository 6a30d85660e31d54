import { expect, test } from 'bun:test';
import { examine } from '@postshelf/application';
import { ok, problem } from '@postshelf/domain';

const explain = (error: unknown, name: string) => problem(`${name}: ${(error as Error).message}`, null);

test('a check that fails or hangs is reported as a problem, and the others run', async () => {
  const checks = {
    well: async () => ok('fine'),
    failing: async () => Promise.reject(new Error('it broke')),
    hanging: () => new Promise<never>(() => undefined),
  };
  expect(await examine(checks, 20, explain)).toEqual([
    { name: 'well', ...ok('fine') },
    { name: 'failing', ...problem('failing: it broke', null) },
    { name: 'hanging', ...problem('hanging: No answer within 0.02 s.', null) },
  ]);
});
