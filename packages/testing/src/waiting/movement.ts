import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** Matches the states of a thread that runs or waits for a processor (R), or waits for a disk (D; proc_pid_stat(5)). */
const MOVING = /[RD]/;

/**
 * Whether this process or one that it has started is running, or waits for a processor or the disk. The check uses the
 * states of threads rather than their processor time, because every kernel with `/proc` provides these states, and they
 * mean the same on a slow processor, a busy machine and a slow disk. Without `/proc` the result is always false.
 */
export function doesMove(): boolean {
  const parents = new Map<number, number>();
  for (const name of foldersIn('/proc')) {
    const stat = fieldsOf(`/proc/${name}/stat`);
    if (stat) parents.set(name, Number(stat[1]));
  }
  const isOwn = (pid: number): boolean => {
    for (let each: number | undefined = pid; each; each = parents.get(each)) if (each === process.pid) return true;
    return false;
  };
  return [...parents.keys()].filter(isOwn).some(hasMovingThread);
}

/**
 * Whether a thread of the process runs, or waits for a processor or a disk. The main thread of this process doesn't
 * count, because it runs this check.
 */
const hasMovingThread = (pid: number): boolean =>
  foldersIn(`/proc/${pid}/task`).some(
    (thread) => thread !== process.pid && MOVING.test(fieldsOf(`/proc/${pid}/task/${thread}/stat`)?.[0] ?? ''),
  );

/**
 * Returns the share of a processor, from 0 to 1, that one more busy thread would get now: less than 1 if the machine is
 * busy.
 */
export function processorShare(): number {
  // Number of threads on the whole machine that run or could run, including this one (proc_loadavg(5)).
  const running = Number(/ (\d+)\/\d+ /.exec(read('/proc/loadavg') ?? '')?.[1] ?? 1);
  return Math.min(1, availableParallelism() / Math.max(1, running));
}

/** Returns the state and the parent, which follow the name. The name is in parentheses and may contain anything. */
function fieldsOf(path: string): readonly string[] | null {
  const stat = read(path);
  return stat === null ? null : stat.slice(stat.lastIndexOf(')') + 2).split(' ', 2);
}

/** Returns a file's content; null if the process has ended, which can happen at any time. */
function read(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null;
  }
}

function foldersIn(path: string): number[] {
  try {
    return readdirSync(path).map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}
