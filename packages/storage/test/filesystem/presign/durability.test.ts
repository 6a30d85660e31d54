import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Uuid } from '@postshelf/domain';
import { newId } from '@postshelf/testing/contracts/samples';
import { withScratch } from '../../support/scratch.ts';
import { stagedFiles } from '../../support/staging.ts';
import { runTraced, strace } from '../../support/strace.ts';
import { keptNames, openUploads, receiveText, takeText, uploadFolder } from '../../support/uploads.ts';

const FIXTURE = join(import.meta.dir, '../../fixtures/receive-and-tell.ts');
const REFUSED = JSON.stringify({ code: 'unavailable', message: 'The storage is unavailable.' });
const CALLS = 'trace=fsync,link,linkat,rename,renameat,renameat2,unlink,unlinkat';

describe.skipIf(!strace)('receiving a file (needs strace on PATH)', () => {
  test(
    'makes file, name and directories durable before the one that came before goes',
    withScratch(async (scratch) => {
      const root = join(scratch, 'root');
      const id = await receiveText(await openUploads(root), 'before');
      const [before] = await keptNames(root, id);
      const folder = uploadFolder(root, id);
      const output = join(scratch, 'trace');
      const options = ['-y', '-z', '-e', CALLS, '-o', output];
      expect(await runTraced(options, FIXTURE, root, id)).toBe('"done"');
      const lines = (await Bun.file(output).text()).split('\n').map((line) => line.replace(/^\d+ +/, ''));
      const synced = lines.flatMap((line, at) => {
        const path = /^fsync\(\d+<(.*)>\) = 0/.exec(line)?.[1];
        return path === undefined ? [] : [{ path, at }];
      });
      const linked = lines.findIndex((line) => line.startsWith('link') && line.includes(`"${folder}/2.`));
      const dropped = lines.findIndex((line) => line.startsWith('unlink') && line.includes(`"${folder}/${before}"`));
      expect(linked).toBeGreaterThan(-1);
      expect(dropped).toBeGreaterThan(linked);
      expect(synced.filter(({ path, at }) => path.startsWith(`${root}/.staging/`) && at < linked)).toHaveLength(1);
      const between = synced.filter(({ at }) => at > linked && at < dropped).map(({ path }) => path);
      expect(between.sort()).toEqual([root, `${root}/.uploads`, folder].sort());
      expect(lines.filter((line) => line.startsWith('rename'))).toEqual([]);
    }),
    30_000,
  );

  test.each([
    ['the file', (): string[] => []],
    ["the id's directory", (root: string, id: Uuid) => [uploadFolder(root, id)]],
    ['the directory of uploads', (root: string) => [join(root, '.uploads')]],
  ])('is refused when %s can not be made durable, and what came before stays', (_, failing) =>
    withScratch(async (root) => {
      const uploads = await openUploads(root);
      for (const id of [await receiveText(uploads, 'before'), newId()]) {
        const before = await takeText(uploads, id);
        const paths = failing(root, id).flatMap((path) => ['-P', path]);
        const inject = ['-o', '/dev/null', '-e', 'trace=fsync', '-e', 'inject=fsync:error=EIO', ...paths];
        expect(await runTraced(inject, FIXTURE, root, id)).toBe(REFUSED);
        expect(await takeText(uploads, id)).toBe(before);
        expect(await stagedFiles(root)).toEqual([]);
      }
    })(),
  );
});
