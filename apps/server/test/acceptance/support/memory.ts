import { expect } from 'bun:test';
import { readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const megabyte = 1024 * 1024;

/** The peak resident memory of a process in bytes: VmHWM, proc(5). */
export function peakMemory(pid: number): number {
  const line = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  if (line === null) throw new Error(`No VmHWM for the process ${pid}.`);
  return Number(line[1]) * 1024;
}

export const expectPeakBelow = (pid: number, megabytes: number): void =>
  expect(peakMemory(pid)).toBeLessThan(megabytes * megabyte);

/** Fails immediately, with a clear message, if a test would fill the disk. */
export function expectFreeDisk(bytes: number): void {
  const { bavail, bsize } = statfsSync(tmpdir());
  if (bavail * bsize < bytes) throw new Error(`This test needs ${bytes} bytes free in ${tmpdir()}.`);
}
