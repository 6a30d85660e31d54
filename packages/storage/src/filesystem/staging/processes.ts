import type { Processes } from '@postshelf/domain';
import { livenessOf } from './process-liveness.ts';
import { currentOwner, parseOwner } from './staging-owner.ts';

/** Processes by the names of their runs ({@link currentOwner}); of those in this PID namespace, and before this boot, it knows. */
export async function openProcesses(): Promise<Processes> {
  const { owner: self, name: own } = await currentOwner();
  return {
    own,
    async isDead(name) {
      const run = parseOwner(name);
      return run !== null && self !== null && (await livenessOf(run, self)) === 'dead';
    },
  };
}
