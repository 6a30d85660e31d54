import { expect, test } from 'bun:test';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { BLOCK_BYTES, BlockWriter } from '../../../src/filesystem/staging/block-writer.ts';
import { randomBytes } from '../../support/objects.ts';
import { testInScratch, withScratch } from '../../support/scratch.ts';

test.each([
  [[]],
  [[1]],
  [[BLOCK_BYTES]],
  [[BLOCK_BYTES - 1, 1, 1]],
  [[3 * BLOCK_BYTES + 5, 7]],
  [[100_000, 100_000, 100_000, 100_000, 100_000, 100_000]],
])('bytes in pieces of %j are written whole and in order', (lengths: readonly number[]) =>
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

testInScratch('a failed write is thrown by the next add or flush, and not by close', async (scratch) => {
  const path = join(scratch, 'file');
  await Bun.write(path, 'old');
  // Open for reading alone: each write fails.
  await using file = await open(path, 'r');
  const writer = new BlockWriter(file);
  await writer.add(new Uint8Array(BLOCK_BYTES));
  await expect(writer.add(new Uint8Array(BLOCK_BYTES))).rejects.toThrow('EBADF');
  await expect(writer.flush()).rejects.toThrow('EBADF');
  await writer.close();
  expect(await Bun.file(path).text()).toBe('old');
});
