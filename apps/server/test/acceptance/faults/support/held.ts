import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { until } from '../../support/until.ts';

/** What a process holds of the machine, from /proc (proc(5)). */

/** Where each of its open file descriptors leads. */
export function descriptors(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
    } catch {
      // Closed between the list and the look.
      return [];
    }
  });
}

/** The most memory (bytes) that it has ever had resident. */
export function peakMemory(pid: number): number {
  const line = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  if (line === null) throw new Error(`No VmHWM for the process ${pid}.`);
  return Number(line[1]) * 1024;
}

/** How many of them are connections, its own listening one included. */
export const sockets = (pid: number): number => descriptors(pid).filter((path) => path.startsWith('socket:')).length;

/** Those that lead below a folder, sorted. */
export const descriptorsIn = (pid: number, folder: string): string[] =>
  descriptors(pid)
    .filter((path) => path.startsWith(folder))
    .sort();

/** Waits until it holds what it held before; a file that was sent is closed a moment behind its last byte. */
export const untilHeld = (pid: number, folder: string, before: readonly string[]): Promise<void> =>
  until(`open below ${folder} is what was: ${before}`, () => descriptorsIn(pid, folder).join() === before.join());
