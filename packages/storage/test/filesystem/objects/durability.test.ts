import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { ITEM, KEY, WORKSPACE } from '../../support/objects.ts';
import { withScratch } from '../../support/scratch.ts';
import { runTraced, strace } from '../../support/strace.ts';

const FIXTURE = join(import.meta.dir, '../../fixtures/publish-and-remove.ts');

/** `-y` shows the path behind each descriptor, `-z` the calls that succeeded, each on one line once it has ended. */
const CALLS = 'trace=fsync,fdatasync,link,linkat,rename,renameat,renameat2,unlink,unlinkat,rmdir';

describe.skipIf(!strace)('the order of system calls (needs strace on PATH)', () => {
  test(
    'new root, then file, then name and directories are made durable, then the object is settled; after a removal the directory is',
    withScratch(async (scratch) => {
      const root = join(scratch, 'new/root');
      const calls = await traced(root, scratch);
      const staged = `${root}/.staging/`;
      const item = `${root}/${WORKSPACE}/${ITEM}`;
      const synced = calls.findIndex((call) => /^fsync\(\d+<(.*)>\) = 0/.exec(call)?.[1]?.startsWith(staged));
      const linked = calls.findIndex((call) => call.startsWith('link') && call.includes(`"${root}/${KEY}"`));
      const unlinked = calls.findIndex((call) => call.startsWith('unlink') && call.includes(`"${root}/${KEY}"`));
      const emptied = calls.findIndex((call) => call.startsWith('rmdir') && call.includes(`"${item}"`));
      const settled = calls.findIndex((call) => call.startsWith('unlink') && call.includes(`"${staged}`));
      const order = [synced, linked, settled, unlinked, emptied];
      expect(order).toEqual(order.toSorted((a, b) => a - b));
      expect(synced).toBeGreaterThanOrEqual(0);
      expect(calls.filter((call) => call.startsWith('rename'))).toEqual([]);

      const directories = (from: number, to?: number): string[] =>
        calls.slice(from, to).flatMap((call) => /^fsync\(\d+<(.*)>\) = 0/.exec(call)?.[1] ?? []);
      expect(directories(0, linked)).toEqual(expect.arrayContaining([scratch, join(scratch, 'new')]));
      expect(directories(linked, settled)).toEqual(expect.arrayContaining([root, `${root}/${WORKSPACE}`, item]));
      expect(directories(emptied)).toContain(`${root}/${WORKSPACE}`);
    }),
    30_000,
  );
});

/** The calls of a process that publishes and removes one object, in the order in which they ended. */
async function traced(root: string, scratch: string): Promise<string[]> {
  const output = join(scratch, 'trace');
  await runTraced(['-y', '-z', '-e', CALLS, '-o', output], FIXTURE, root);
  const lines = (await Bun.file(output).text()).split('\n');
  return lines.map((line) => line.replace(/^\d+ +/, ''));
}
