import { readFile } from 'node:fs/promises';

/** The state of a process, by proc_pid_stat(5). */
export interface ProcessState {
  readonly pid: number;
  /** Whether it is a zombie: dead, but its parent hasn't read its exit status yet. */
  readonly isDead: boolean;
  /** In clock ticks after the boot. */
  readonly started: string;
}

/**
 * @param proc where proc(5) is mounted
 * @throws Error with code ENOENT or ESRCH when the process doesn't exist or is hidden from this user
 */
export const readProcess = async (pid: number | 'self', proc = '/proc'): Promise<ProcessState | null> =>
  parseStat(await readFile(`${proc}/${pid}/stat`, 'utf8'));

/**
 * Parses fields 1 (id), 3 (state) and 22 (start time). Field 2, the name, may contain spaces and parentheses, so later
 * fields are counted from the last parenthesis. null for a text of another format.
 */
export function parseStat(stat: string): ProcessState | null {
  const pid = /^\d+(?= \()/.exec(stat)?.[0];
  const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const started = rest[22 - 4];
  if (pid === undefined || state === undefined || started === undefined) return null;
  return { pid: Number(pid), isDead: state === 'Z' || state === 'X', started };
}
