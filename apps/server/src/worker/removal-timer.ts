import { finishProfileRemovals, finishRemovals, type Resources, removeDueTrash } from '@postshelf/application';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { every } from './every.ts';
import type { RunningFence } from './fence-timer.ts';

const INTERVAL = 1000;

/**
 * Removes what is left of deleted workspaces and profiles, and what is due in the trash. As by command, that doesn't wait until the database is known to
 * have no copy at work: it was asked for here, and files go to the trash, from which the original takes back what its
 * items lack.
 */
export function startRemovalTimer(
  ports: Resources,
  fence: Pick<RunningFence, 'problem'>,
  { log, tracing }: Pick<Telemetry, 'log' | 'tracing'>,
): { stop(): Promise<void> } {
  const finish = async (signal: AbortSignal): Promise<void> => {
    if (fence.problem() !== null) return;
    if ((await ports.workspaces.pendingRemovals()).length > 0) {
      const onRemoved = (workspace: string, removed: object): void =>
        log.info({ workspace, removed }, 'workspace removed');
      await tracing.task('removal', () => finishRemovals(ports, { signal, onRemoved }));
    }
    await finishProfileRemovals(ports, signal);
    await removeDueTrash(ports, signal);
  };
  return every(INTERVAL, finish, log);
}
