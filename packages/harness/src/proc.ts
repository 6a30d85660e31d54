import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';

/** Ticks a second of the times in /proc: USER_HZ, which is 100 on every Linux there is (proc(5)). */
const TICKS = 100;

/** Bytes of memory that a process holds, and held at most. */
export interface Memory {
  readonly now: number;
  readonly peak: number;
}

/** What `/proc` says of a process (proc_pid_status(5)). @throws Error when it is gone */
export async function memoryOf(pid: number): Promise<Memory> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const bytes = (name: string): number => {
    const kibibytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
    if (kibibytes === undefined) throw new Error(`Process ${pid} tells no ${name}.`);
    return Number(kibibytes) * 1024;
  };
  return { now: bytes('VmRSS'), peak: bytes('VmHWM') };
}

/** Processor time that a process has used so far, its own and the kernel's for it, in seconds. */
export async function cpuSeconds(pid: number): Promise<number> {
  const fields = await statOf(pid);
  // utime and stime, the 14th and 15th field.
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/**
 * Milliseconds that a process's first thread has waited for a processor so far while it could have run (sched-stats.rst of
 * the kernel); 0 where the kernel keeps no count, or the process is gone.
 */
export function processorWaitOf(pid: number): number {
  try {
    const [, waited] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
    return Number(waited ?? 0) / 1e6;
  } catch {
    return 0;
  }
}

/** The process that started it; null for one that is gone. */
export const parentOf = (pid: number): Promise<number | null> =>
  statOf(pid).then(
    (fields) => Number(fields[1]),
    () => null,
  );

/** The fields behind the name, which stands in parentheses and may hold anything. */
async function statOf(pid: number): Promise<readonly string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** What figures were measured on. */
export function describeMachine(): string {
  const all = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${all.length} × ${all[0]?.model.trim() ?? 'unknown processor'}, ${memory} GB, ${process.platform}, Bun ${Bun.version}`;
}
