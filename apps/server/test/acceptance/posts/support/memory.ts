import { readFileSync } from 'node:fs';

const megabyte = 1024 * 1024;

/** What the server may have resident at the most, whatever comes in and however much: about twice what it has idle. */
export const memoryLimit = 192 * megabyte;

/** The most memory (bytes) that the process has ever had resident: VmHWM, proc(5). */
export function peakMemory(pid: number): number {
  const line = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  if (line === null) throw new Error(`No VmHWM for the process ${pid}.`);
  return Number(line[1]) * 1024;
}
