import { expect } from 'bun:test';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { readFully, writeFully } from '../../../src/filesystem/disk/read-write.ts';
import { testInScratch } from '../../support/scratch.ts';

const TEXT = new TextEncoder().encode('an operating system may stop short');

testInScratch('short reads and writes of the operating system are continued', async (directory) => {
  const file = await open(join(directory, 'file'), 'wx+');
  try {
    // Each call writes at most five bytes.
    const write = (bytes: Uint8Array, offset: number, length: number, position: number) =>
      file.write(bytes, offset, Math.min(length, 5), position);
    const read = (bytes: Uint8Array, offset: number, length: number, position: number) =>
      file.read(bytes, offset, Math.min(length, 5), position);
    const stingy = { write, read } as Pick<typeof file, 'write' | 'read'>;
    await writeFully(stingy, TEXT, 7);
    expect(await readFully(stingy, 7, TEXT.length)).toEqual(TEXT);
    expect(await readFully(stingy, 10, 1000)).toEqual(TEXT.slice(3));
    expect(await readFully(stingy, 0, 8)).toEqual(new Uint8Array([0, 0, 0, 0, 0, 0, 0, TEXT[0] ?? 0]));
    expect(await readFully(stingy, 1000, 10)).toEqual(new Uint8Array());
  } finally {
    await file.close();
  }
});
