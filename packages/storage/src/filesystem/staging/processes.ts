import type { Processes } from '@postshelf/domain';
import { lifeOf } from './process-liveness.ts';
import { parseRun, thisRun } from './staging-owner.ts';

/** Processes by the names of their runs ({@link thisRun}); of those in this PID namespace, and before this boot, it knows. */
export async function openProcesses(): Promise<Processes> {
  const { run: self, name: own } = await thisRun();
  return {
    own,
    async isDead(name) {
      const run = parseRun(name);
      return run !== null && self !== null && (await lifeOf(run, self)) === 'dead';
    },
  };
}
