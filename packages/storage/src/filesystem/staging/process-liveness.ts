import type { Processes } from '@postshelf/domain';
import { codeOf, unless } from '../disk/failures.ts';
import { readProcess } from './proc-stat.ts';
import { currentOwner, parseOwner, type StagingOwner } from './staging-owner.ts';

/** Error codes for a process that is gone or, where /proc is mounted with `hidepid`, another user's. */
const UNSEEN = ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'];

/** `unknown`: the process can't be seen from here. */
export type Liveness = 'alive' | 'dead' | 'unknown';

/**
 * Whether a process still runs, as far as this one can tell: it sees its own PID namespace, and knows that nothing
 * outlives a boot of its machine. Other machines that share the storage, and other containers, are unknown.
 *
 * @param self the process that asks
 */
export async function livenessOf(owner: StagingOwner, self: StagingOwner): Promise<Liveness> {
  // The caller itself lives. Compared first, as an emulator gives each thread another start time of its process
  // (qemu-user 7.2).
  if (owner.pid === self.pid && owner.started === self.started && isNeighbour(owner, self)) return 'alive';
  if (owner.boot !== self.boot) return owner.machine !== null && owner.machine === self.machine ? 'dead' : 'unknown';
  return owner.namespace === self.namespace ? livenessInNamespace(owner) : 'unknown';
}

const isNeighbour = (owner: StagingOwner, self: StagingOwner): boolean =>
  owner.boot === self.boot && owner.namespace === self.namespace;

async function livenessInNamespace({ pid, started }: StagingOwner): Promise<Liveness> {
  const found = await unless(UNSEEN, readProcess(pid), null);
  if (!found) return isUnused(pid) ? 'dead' : 'unknown';
  return !found.isDead && found.started === started ? 'alive' : 'dead';
}

/** Whether no process has the id: signal 0 does nothing but check that (kill(2)). */
function isUnused(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return codeOf(error) === 'ESRCH';
  }
}

/** Processes by the names that {@link currentOwner} gives. */
export async function openProcesses(): Promise<Processes & { readonly canTell: boolean }> {
  const { owner: self, name: own } = await currentOwner();
  return {
    own,
    canTell: self !== null,
    async isDead(name) {
      const owner = parseOwner(name);
      return owner !== null && self !== null && (await livenessOf(owner, self)) === 'dead';
    },
  };
}
