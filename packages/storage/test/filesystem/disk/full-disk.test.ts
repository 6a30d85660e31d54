import { describe, expect } from 'bun:test';
import { join } from 'node:path';
import { hasPrograms } from '@postshelf/testing/programs';
import { testInScratch } from '../../support/scratch.ts';

const FIXTURE = join(import.meta.dir, '../../fixtures/fill-disk.ts');

/**
 * The command that runs a process in a separate mount namespace, in which the process may mount file systems. The
 * namespace ends with the process.
 */
const ISOLATED = ['unshare', '--user', '--map-root-user', '--mount'];
const canMount =
  hasPrograms(['unshare', 'mount'], 'a disk that is full or read-only') &&
  Bun.spawnSync([...ISOLATED, 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).success;

describe.skipIf(!canMount)('a real disk (needs unshare and user namespaces)', () => {
  testInScratch('that is full or read-only makes the storage unavailable and leaves no file', async (root) => {
    const child = Bun.spawn([...ISOLATED, process.execPath, FIXTURE, root], { stdout: 'pipe', stderr: 'pipe' });
    const [printed, complaints] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    expect(complaints).toBe('');
    const full = { code: 'unavailable', message: 'The storage is full.' };
    const unavailable = { code: 'unavailable', message: 'The storage is unavailable.' };
    expect(JSON.parse(printed)).toEqual({
      full,
      fullUpload: full,
      left: [],
      afterwards: 'done',
      crammed: full,
      readOnly: {
        stage: unavailable,
        remove: unavailable,
        receive: unavailable,
        take: unavailable,
        removeUpload: unavailable,
        list: 1,
        sweep: 'done',
        check: unavailable,
        read: 'bytes',
      },
    });
  });
});
