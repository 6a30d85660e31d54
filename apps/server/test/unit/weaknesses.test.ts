import { expect, test } from 'bun:test';
import { findWeaknesses, type Machine } from '../../src/compose/host/weaknesses.ts';
import { countOpenFiles, openFileLimit } from '../../src/telemetry/open-files.ts';

const WHOLE: Machine = {
  platform: 'linux',
  childWeaknesses: async () => [],
  hasLinks: async () => true,
  hasFewThreads: () => false,
};

test.each<[string, Partial<Machine>, RegExp]>([
  ['confinement', { childWeaknesses: async () => ['can reach the network'] }, /^ffmpeg and .* can reach the network$/],
  ['hard links', { hasLinks: async () => false }, /^each file is written twice/],
  ['enough threads for files', { hasFewThreads: () => true }, /^uploads wait for each other/],
  ['Linux', { platform: 'darwin' }, /^a power cut .*\nidle connections/],
])('the lack of %s is reported as a weakness, and a complete machine has none', async (_, machine, expected) => {
  expect((await findWeaknesses(null, { ...WHOLE, ...machine })).join('\n')).toMatch(expected);
  expect(await findWeaknesses(null, WHOLE)).toEqual([]);
});

test('without /proc, open files are counted in /dev/fd, and their limit is unknown', () => {
  expect(openFileLimit('/nowhere/limits')).toBeNull();
  expect(countOpenFiles(['/nowhere/fd', '/dev/fd'])).toBeGreaterThan(2);
  expect(countOpenFiles(['/nowhere/fd'])).toBeNull();
});
