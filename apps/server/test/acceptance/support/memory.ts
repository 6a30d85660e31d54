import { expect } from 'bun:test';
import { readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Settings } from './server.ts';

const megabyte = 1024 * 1024;

/**
 * Settings for a server whose memory is measured. They take away the settings of the memory allocator that `npm test`
 * gives to programs, with which a server needs more memory than with those that users have.
 */
export const usualMemory: Settings = { MIMALLOC_ALLOW_THP: undefined, MIMALLOC_PURGE_DELAY: undefined };

/** The peak resident memory of a process in bytes: VmHWM, proc(5). */
export function peakMemory(pid: number): number {
  const line = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  if (line === null) throw new Error(`No VmHWM for the process ${pid}.`);
  return Number(line[1]) * 1024;
}

/** Expects that a server with {@link usualMemory} has never used more memory than this. */
export function expectPeakBelow(pid: number, megabytes: number): void {
  expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('MIMALLOC_');
  expect(peakMemory(pid)).toBeLessThan(megabytes * megabyte);
}

/** Fails immediately, with a clear message, if a test would fill the disk. */
export function expectFreeDisk(bytes: number): void {
  const { bavail, bsize } = statfsSync(tmpdir());
  if (bavail * bsize < bytes) throw new Error(`This test needs ${bytes} bytes free in ${tmpdir()}.`);
}
