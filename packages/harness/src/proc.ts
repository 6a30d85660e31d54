import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';

/** Clock ticks per second (USER_HZ): 100 on every Linux system (proc(5)). */
const TICKS = 100;

export interface Memory {
  readonly now: number;
  readonly peak: number;
}

/**
 * Returns the memory that a process uses (proc_pid_status(5)).
 *
 * @throws Error if the process doesn't exist any more
 */
export async function memoryOf(pid: number): Promise<Memory> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const bytes = (name: string): number => {
    const kibibytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
    if (kibibytes === undefined) throw new Error(`The status of process ${pid} has no ${name}.`);
    return Number(kibibytes) * 1024;
  };
  return { now: bytes('VmRSS'), peak: bytes('VmHWM') };
}

/** Returns the CPU time of a process, in user and kernel mode. */
export async function cpuSeconds(pid: number): Promise<number> {
  const fields = await statOf(pid);
  // utime and stime, the 14th and 15th field.
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/**
 * Returns for how many milliseconds a process's first thread was ready to run but waited for a processor
 * (sched-stats.rst of the kernel). Returns 0 if the kernel doesn't count that, or the process doesn't exist any more.
 */
export function processorWaitOf(pid: number): number {
  try {
    const [, waited] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
    return Number(waited ?? 0) / 1e6;
  } catch {
    return 0;
  }
}

/** Returns the parent of a process; null if the process doesn't exist any more. */
export const parentOf = (pid: number): Promise<number | null> =>
  statOf(pid).then(
    (fields) => Number(fields[1]),
    () => null,
  );

/** Returns the fields after the name, which is in parentheses and may contain anything. */
async function statOf(pid: number): Promise<readonly string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

export function describeMachine(): string {
  const all = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${all.length} × ${all[0]?.model.trim() ?? 'unknown processor'}, ${memory} GB, ${process.platform}, Bun ${Bun.version}`;
}
