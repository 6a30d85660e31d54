import { describe, expect, test } from 'bun:test';
import { rm } from 'node:fs/promises';
import type { ByteSource } from '@postshelf/domain';
import { openFileStorage } from '../../../src/index.ts';
import { chunksOf, KEY, MIB, randomBytes, stageText } from '../../support/objects.ts';
import { testInScratch, withScratch } from '../../support/scratch.ts';
import { ownDirectory } from '../../support/staging.ts';

testInScratch('onGrown is called as a body grows, with the bytes written by then', async (root) => {
  const bytes = randomBytes(11 * MIB);
  const grown: { readonly size: number; readonly isWhole: boolean; readonly isThere: Promise<boolean> }[] = [];
  const onGrown = ({ size, path = '', read }: ByteSource, isWhole: boolean): void => {
    const isThere = Promise.all([read(size - MIB, 2 * MIB), Bun.file(path).slice(0, size).bytes()]).then(
      ([end, whole]) =>
        Buffer.from(bytes.subarray(0, size)).equals(whole) && Buffer.from(whole.subarray(-MIB)).equals(end),
    );
    grown.push({ size, isWhole, isThere });
  };
  const staged = await (await openFileStorage(root)).stage(chunksOf(bytes), { limit: bytes.length, onGrown });
  expect(grown.map(({ size, isWhole }) => (isWhole ? size : Math.floor(size / (4 * MIB))))).toEqual([1, 2, 11 * MIB]);
  for (const { isThere } of grown) expect(await isThere).toBe(true);
  await staged.discard();
});

describe('staged bytes', () => {
  testInScratch('cannot be published twice, when discarded or swept, and the error says which', async (root) => {
    const storage = await openFileStorage(root);
    const published = await stageText(storage, 'bytes');
    await published.publish(KEY);
    await expect(published.publish(KEY)).rejects.toThrow('published already');
    await published.discard();
    await expect(published.publish(KEY)).rejects.toThrow('discarded already');
    const discarded = await stageText(storage, 'bytes');
    await discarded.discard();
    await expect(discarded.publish(KEY)).rejects.toThrow('discarded already');
    const swept = await stageText(storage, 'bytes');
    // As another machine does if it considers this process dead.
    await rm(await ownDirectory(root), { recursive: true });
    await expect(swept.publish(KEY)).rejects.toThrow('swept before they were published');
    await swept.discard();
  });

  test.each([
    [-1, 1],
    [0.5, 1],
    [Number.NaN, 1],
    [0, -1],
    [0, Number.POSITIVE_INFINITY],
  ])('cannot be read from offset %d with length %d', (offset, length) =>
    withScratch(async (root) => {
      const staged = await stageText(await openFileStorage(root), 'bytes');
      await expect(staged.read(offset, length)).rejects.toThrow(RangeError);
      await staged.discard();
    })(),
  );
});
