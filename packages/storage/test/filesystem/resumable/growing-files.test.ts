import { expect } from 'bun:test';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Piece } from '@postshelf/domain';
import { inChunks, sampleBytes } from '@postshelf/testing/contracts/objects/samples';
import { newId } from '@postshelf/testing/contracts/samples';
import { openFiles } from '../../../src/index.ts';
import { testInScratch } from '../../support/scratch.ts';
import { ownDirectory } from '../../support/staging.ts';
import { openUploads, uploadFolder } from '../../support/uploads.ts';

testInScratch('consecutive requests grow one file, which needs no copying', async (directory) => {
  await openUploads(directory);
  const storage = (await openFiles(directory)).resumable;
  const [id, bytes, kept] = [newId(), sampleBytes(5000), [] as Piece[]];
  for (const start of [0, 2000, 4000]) {
    const body = inChunks(bytes.subarray(start, start + 2000));
    await storage.append(id, start, body, async (piece) => void kept.push(piece), kept.at(-1));
  }
  expect(kept.map(({ name, start, size }) => [name, start, size])).toEqual(
    [2000, 4000, 5000].map((size) => [kept[0]?.name ?? '', 0, size]),
  );
});

testInScratch('a file of one piece is not copied if the empty staging directory was removed', async (directory) => {
  await openUploads(directory);
  const storage = (await openFiles(directory)).resumable;
  const [bytes, links] = [sampleBytes(5000), [] as number[]];
  for (let round = 0; round < 2; round += 1) {
    const [id, kept] = [newId(), [] as Piece[]];
    await storage.append(id, 0, inChunks(bytes), async (piece) => void kept.push(piece));
    const [piece] = kept;
    const taken = await storage.take(id, kept);
    const { nlink } = await stat(join(uploadFolder(directory, id), piece?.name ?? ''));
    links.push(nlink);
    await taken?.discard();
    await rm(ownDirectory(directory), { recursive: true });
  }
  expect(links).toEqual([2, 2]);
});

testInScratch(
  'bytes are accepted without the folder of all uploads, but not without the staging area',
  async (directory) => {
    await openUploads(directory);
    const storage = (await openFiles(directory)).resumable;
    const kept: Piece[] = [];
    const append = () => storage.append(newId(), 0, inChunks(sampleBytes(5)), async (piece) => void kept.push(piece));
    await rm(join(directory, '.uploads'), { recursive: true });
    await append();
    expect(kept).toMatchObject([{ start: 0, size: 5 }]);
    for (const name of ['.uploads', '.staging']) await rm(join(directory, name), { recursive: true });
    const refusal = await append().catch((error: Error) => error);
    expect(String((refusal as Error).cause)).toContain(
      '.staging is missing: mount its disk, or create the folder again.',
    );
  },
);
