import type { Processes } from '@postshelf/domain';
import { codeOf, withFallback } from '../disk/failures.ts';
import { readProcess } from './proc-stat.ts';
import { currentOwner, parseOwner, type StagingOwner } from './staging-owner.ts';

/** Error codes for a process that doesn't exist or, if /proc is mounted with `hidepid`, belongs to another user. */
const UNSEEN = ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'];

/** `unknown`: this process can't tell. */
export type Liveness = 'alive' | 'dead' | 'unknown';

/**
 * Whether a process still runs, as far as this one can tell: it sees the processes of its own PID namespace, and knows
 * that none survives a reboot of its machine. Processes of other machines that share the storage, and of other
 * containers, are `unknown`.
 *
 * @param self the process that asks
 */
export async function livenessOf(owner: StagingOwner, self: StagingOwner): Promise<Liveness> {
  // This process is alive. Compared before /proc is read, as an emulator reports another start time of the process to
  // each thread (qemu-user 7.2).
  if (owner.pid === self.pid && owner.started === self.started && isNeighbour(owner, self)) return 'alive';
  if (owner.boot !== self.boot) return owner.machine !== null && owner.machine === self.machine ? 'dead' : 'unknown';
  return owner.namespace === self.namespace ? livenessInNamespace(owner) : 'unknown';
}

const isNeighbour = (owner: StagingOwner, self: StagingOwner): boolean =>
  owner.boot === self.boot && owner.namespace === self.namespace;

async function livenessInNamespace({ pid, started }: StagingOwner): Promise<Liveness> {
  const found = await withFallback(UNSEEN, readProcess(pid), null);
  if (!found) return isUnused(pid) ? 'dead' : 'unknown';
  return !found.isDead && found.started === started ? 'alive' : 'dead';
}

/** Whether no process has the id: signal 0 only checks that one exists (kill(2)). */
function isUnused(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return codeOf(error) === 'ESRCH';
  }
}

/** Identifies processes by the names that {@link currentOwner} assigns, and tells which are dead. */
export async function openProcesses(): Promise<Processes & { readonly detectsDeadProcesses: boolean }> {
  const { owner: self, name: own } = await currentOwner();
  return {
    own,
    detectsDeadProcesses: self !== null,
    async isDead(name) {
      const owner = parseOwner(name);
      return owner !== null && self !== null && (await livenessOf(owner, self)) === 'dead';
    },
  };
}
