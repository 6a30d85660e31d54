import { readFile } from 'node:fs/promises';

/** Ticks a second of the times in /proc: USER_HZ, which is 100 on every Linux there is (proc(5)). */
const TICKS = 100;

/** Processor time that a process has used so far, its own and the kernel's for it, in seconds. */
export async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name, in parentheses, may hold anything; utime and stime are the 12th and 13th field behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}
