import { test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Returns the body of a test that runs with an empty temporary directory. */
export function withScratch(run: (directory: string) => Promise<void>): () => Promise<void> {
  return async () => {
    const { directory, remove } = await makeScratch();
    try {
      await run(directory);
    } finally {
      await remove();
    }
  };
}

/** Defines a test that runs with an empty temporary directory. */
export const testInScratch = (title: string, run: (directory: string) => Promise<void>, timeout?: number): void =>
  test(title, withScratch(run), timeout);

export async function makeScratch(): Promise<{ directory: string; remove(): Promise<void> }> {
  // `npm test` keeps temporary files in memory, but the storage has to be tested on a disk.
  const disk = process.env.POSTSHELF_TEST_DISK ?? tmpdir();
  const directory = await mkdtemp(join(disk, 'postshelf-storage-'));
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
}
