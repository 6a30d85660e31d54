import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';

/** USER_HZ, 100 on every Linux there is (proc(5)). */
const TICKS = 100;

export interface Memory {
  readonly now: number;
  readonly peak: number;
}

/** proc_pid_status(5). @throws Error when the process is gone */
export async function memoryOf(pid: number): Promise<Memory> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const bytes = (name: string): number => {
    const kibibytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
    if (kibibytes === undefined) throw new Error(`Process ${pid} tells no ${name}.`);
    return Number(kibibytes) * 1024;
  };
  return { now: bytes('VmRSS'), peak: bytes('VmHWM') };
}

/** Its own time and the kernel's for it. */
export async function cpuSeconds(pid: number): Promise<number> {
  const fields = await statOf(pid);
  // utime and stime, the 14th and 15th field.
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/**
 * Of the first thread, while it could have run (sched-stats.rst of the kernel); 0 where the kernel keeps no count, or
 * the process is gone.
 */
export function processorWaitOf(pid: number): number {
  try {
    const [, waited] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
    return Number(waited ?? 0) / 1e6;
  } catch {
    return 0;
  }
}

/** null for a process that is gone. */
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

export function describeMachine(): string {
  const all = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${all.length} × ${all[0]?.model.trim() ?? 'unknown processor'}, ${memory} GB, ${process.platform}, Bun ${Bun.version}`;
}
