import { readdirSync, readlinkSync } from 'node:fs';
import { until } from '../../support/until.ts';

/** These functions read from /proc (proc(5)) which resources a process holds. */

/** The target of each open file descriptor of the process. */
export function descriptors(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
    } catch {
      // The descriptor was closed after the list was made.
      return [];
    }
  });
}

/** The number of descriptors that are sockets, including the one that listens. */
export const sockets = (pid: number): number => descriptors(pid).filter((path) => path.startsWith('socket:')).length;

/** The descriptors of files below a folder, sorted. */
export const descriptorsIn = (pid: number, folder: string): string[] =>
  descriptors(pid)
    .filter((path) => path.startsWith(folder))
    .sort();

/**
 * Waits until the process holds the same files as before. It closes a sent file shortly after sending the last byte.
 */
export const untilHeld = (pid: number, folder: string, before: readonly string[]): Promise<void> =>
  until(`open below ${folder} is what was: ${before}`, () => descriptorsIn(pid, folder).join() === before.join());
