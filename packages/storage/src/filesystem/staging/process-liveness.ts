import { codeOf, unless } from '../disk/failures.ts';
import { readProcess } from './proc-stat.ts';
import type { Run } from './staging-owner.ts';

/** What a process says that is gone or, where /proc is mounted with `hidepid`, another user's. */
const UNSEEN = ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'];

/** `unknown`: only time can tell. */
export type Life = 'alive' | 'dead' | 'unknown';

/**
 * Whether the run still lives, as far as the one that asks can tell: it sees its own PID namespace, and knows that
 * nothing outlives a boot of its own machine. Other machines that share the storage, and other containers, it doesn't
 * see.
 *
 * @param self the run that asks
 */
export async function lifeOf(run: Run, self: Run): Promise<Life> {
  if (run.boot !== self.boot) return run.machine !== null && run.machine === self.machine ? 'dead' : 'unknown';
  return run.namespace === self.namespace ? lifeOfNeighbour(run) : 'unknown';
}

async function lifeOfNeighbour({ pid, started }: Run): Promise<Life> {
  const found = await unless(UNSEEN, readProcess(pid), null);
  if (!found) return isFree(pid) ? 'dead' : 'unknown';
  return !found.isDead && found.started === started ? 'alive' : 'dead';
}

/** Whether no process has the id: signal 0 reaches nobody and asks only that (kill(2)). */
function isFree(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return codeOf(error) === 'ESRCH';
  }
}
