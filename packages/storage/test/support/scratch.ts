import { test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A test body with an empty directory of its own. */
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

/** A test with an empty directory of its own. */
export const testInScratch = (title: string, run: (directory: string) => Promise<void>, timeout?: number): void =>
  test(title, withScratch(run), timeout);

export async function makeScratch(): Promise<{ directory: string; remove(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'postshelf-storage-'));
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
}
