import { readFile } from 'node:fs/promises';

/** The most memory that a process ever had resident, in MB of 10⁶ bytes: VmHWM, proc(5). */
export async function peakMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return (Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024) / 1e6;
}
