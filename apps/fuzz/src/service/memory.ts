import { readFile } from 'node:fs/promises';

/** Bytes of memory that a process holds, and held at most. */
export interface Memory {
  readonly now: number;
  readonly peak: number;
}

/** What `/proc` says of a process (proc_pid_status(5)). @throws Error when it is gone */
export async function memoryOf(pid: number): Promise<Memory> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const kibibytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]);
  return { now: kibibytes('VmRSS') * 1024, peak: kibibytes('VmHWM') * 1024 };
}
