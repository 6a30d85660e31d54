import { expect, spyOn, test } from 'bun:test';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { BLOCK_BYTES, BlockWriter, SYNC_BYTES } from '../../../src/filesystem/staging/block-writer.ts';
import { randomBytes } from '../../support/objects.ts';
import { testInScratch, withScratch } from '../../support/scratch.ts';

test.each([
  [[]],
  [[1]],
  [[BLOCK_BYTES]],
  [[BLOCK_BYTES - 1, 1, 1]],
  [[3 * BLOCK_BYTES + 5, 7]],
  [[5, BLOCK_BYTES, 7, BLOCK_BYTES - 1, 2 * BLOCK_BYTES]],
  [[100_000, 100_000, 100_000, 100_000, 100_000, 100_000]],
])('bytes in pieces of %j are written completely and in order', (lengths: readonly number[]) =>
  withScratch(async (scratch) => {
    const path = join(scratch, 'file');
    const pieces = lengths.map(randomBytes);
    await using file = await open(path, 'wx');
    const writer = new BlockWriter(file);
    for (const piece of pieces) {
      const lent = piece.slice();
      await writer.add(lent);
      lent.fill(0);
    }
    await writer.flush();
    await writer.close();
    expect(Buffer.from(await Bun.file(path).bytes()).equals(Buffer.concat(pieces))).toBe(true);
  })(),
);

testInScratch(
  'a failed write is thrown by the next add or flush, or by its own for a large piece, but not by close',
  async (scratch) => {
    const path = join(scratch, 'file');
    await Bun.write(path, 'old');
    // The file is open for reading only, so each write fails.
    await using file = await open(path, 'r');
    const writer = new BlockWriter(file);
    for (const length of [BLOCK_BYTES - 1, BLOCK_BYTES - 1]) await writer.add(new Uint8Array(length));
    expect(await outcomeOf(writer.add(new Uint8Array(BLOCK_BYTES - 1)))).toThrow('EBADF');
    expect(await outcomeOf(writer.flush())).toThrow('EBADF');
    await writer.close();
    const other = new BlockWriter(file);
    expect(await outcomeOf(other.add(new Uint8Array(BLOCK_BYTES)))).toThrow('EBADF');
    await other.close();
    expect(await Bun.file(path).text()).toBe('old');
  },
);

testInScratch('written bytes are synced while later ones arrive, for one file at a time', async (scratch) => {
  await using file = await open(join(scratch, 'file'), 'wx');
  await using other = await open(join(scratch, 'other'), 'wx');
  const first = Promise.withResolvers<void>();
  const sync = spyOn(file, 'datasync').mockImplementationOnce(() => first.promise);
  const otherSync = spyOn(other, 'datasync');
  const [writer, otherWriter] = [new BlockWriter(file), new BlockWriter(other)];
  await writer.add(new Uint8Array(SYNC_BYTES - 1));
  expect(sync).not.toHaveBeenCalled();
  await writer.add(new Uint8Array(2 * BLOCK_BYTES));
  expect(sync).toHaveBeenCalledTimes(1);
  for (const each of [writer, otherWriter]) await each.add(new Uint8Array(SYNC_BYTES + 2 * BLOCK_BYTES));
  expect([sync.mock.calls.length, otherSync.mock.calls.length]).toEqual([1, 0]);
  first.resolve();
  for (const each of [writer, otherWriter]) {
    await each.add(new Uint8Array(2 * BLOCK_BYTES));
    await each.flush();
  }
  expect([sync.mock.calls.length, otherSync.mock.calls.length]).toEqual([2, 1]);
});

testInScratch(
  'a failed sync is thrown by the next add or flush, as the system reports it only once',
  async (scratch) => {
    for (const more of [0, BLOCK_BYTES]) {
      await using file = await open(join(scratch, String(more)), 'wx');
      spyOn(file, 'datasync').mockImplementationOnce(() => Promise.reject(new Error('The disk is full.')));
      const writer = new BlockWriter(file);
      await writer.add(new Uint8Array(SYNC_BYTES + BLOCK_BYTES));
      if (more > 0) expect(await outcomeOf(writer.add(new Uint8Array(more)))).toThrow('full');
      expect(await outcomeOf(writer.flush())).toThrow('full');
      await writer.close();
    }
  },
);
