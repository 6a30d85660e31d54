import { expect } from 'bun:test';
import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { memoryOf } from '@postshelf/harness';

const megabyte = 1024 * 1024;

export async function expectPeakBelow(pid: number, megabytes: number): Promise<void> {
  expect((await memoryOf(pid)).peak).toBeLessThan(megabytes * megabyte);
}

/** Fails immediately, with a clear message, if a test would fill the disk. */
export function expectFreeDisk(bytes: number): void {
  const { bavail, bsize } = statfsSync(tmpdir());
  if (bavail * bsize < bytes) throw new Error(`This test needs ${bytes} bytes free in ${tmpdir()}.`);
}
