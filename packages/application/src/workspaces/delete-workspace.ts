import { notFound, type RemovedCounts, type Uuid, type Workspace } from '@postshelf/domain';
import { forEachConcurrently } from '../concurrency.ts';
import { done, type JobHandler, oneByOne } from '../jobs/job-handler.ts';
import { type OwnershipReadPorts, requireOwnership } from '../library/ownership.ts';
import type { Ports } from '../ports.ts';

type DeletePorts = OwnershipReadPorts & Pick<Ports, 'workspaces' | 'trash' | 'deletions' | 'previewStorage'>;

/** Number of rows per transaction. It is small, so that other requests wait for a few milliseconds at most. */
const BATCH = 200;

const CONCURRENCY = 8;

export interface RemovalOptions {
  /** Called for an object that couldn't be moved to the trash; garbage collection removes it. */
  readonly onLeftOver?: (fullName: string, cause: unknown) => void;
  /** Called with the counts of what was removed, once nothing is left of a workspace. */
  readonly onRemoved?: (id: Uuid, removed: RemovedCounts) => void;
  /** Aborting the signal ends the work before its next batch. */
  readonly signal?: AbortSignal;
}

/**
 * Starts deleting a workspace: from then on no request finds it. A job does the rest, in any process.
 *
 * @throws OwnershipRefused if the storage doesn't belong to the database's library; Refusal `not_found` if it was
 *   deleted meanwhile
 */
export async function beginRemoval(
  ports: OwnershipReadPorts & Pick<Ports, 'workspaces'>,
  { id }: Pick<Workspace, 'id'>,
): Promise<void> {
  await requireOwnership(ports);
  if (!(await ports.workspaces.beginRemoval(id, ports.clock.now()))) throw notFound();
}

/**
 * Deletes a workspace with all its contents. After the first transaction no request finds it. Rows are deleted in many
 * transactions. Their objects then go to the trash, so that a backup can be restored until the trash is emptied. If the
 * process is killed, call this again, or leave the rest to the job.
 *
 * @throws OwnershipRefused if the storage doesn't belong to the database's library; nothing was done
 */
export async function deleteWorkspace(ports: DeletePorts, id: Uuid, options: RemovalOptions = {}): Promise<void> {
  await requireOwnership(ports);
  await ports.workspaces.beginRemoval(id, ports.clock.now());
  await finishRemoval(ports, id, options);
}

/**
 * Removes the remains of deleted workspaces. Outcomes: `removed`, `stopped`.
 *
 * @param onRemoved see {@link RemovalOptions}
 */
export const removalHandler = (
  ports: DeletePorts,
  onRemoved: NonNullable<RemovalOptions['onRemoved']>,
): JobHandler<'removal'> => ({
  kind: 'removal',
  run: oneByOne(async ({ subjectId }, { signal }) => {
    await requireOwnership(ports);
    await finishRemoval(ports, subjectId, { signal, onRemoved });
    return signal.aborted ? { next: 'again', outcome: 'stopped', after: 0 } : done('removed');
  }),
});

/** Finishes all removals that were begun. If another process is working on the same removal, the two share the work. */
export async function finishRemovals(ports: DeletePorts, options: RemovalOptions): Promise<void> {
  for (const id of await ports.workspaces.pendingRemovals()) await finishRemoval(ports, id, options);
}

async function finishRemoval(
  ports: DeletePorts,
  id: Uuid,
  { onLeftOver = () => undefined, onRemoved, signal }: RemovalOptions,
): Promise<void> {
  const at = ports.clock.now();
  for (;;) {
    if (signal?.aborted) return;
    const remains = await ports.workspaces.removeBatch(id, BATCH, at);
    if (remains === null) break;
    await ports.deletions.record(remains.uploads.map((upload) => ({ id: upload, fullName: null, deletedAt: at })));
    await forEachConcurrently(remains.fullNames, CONCURRENCY, async (name) => {
      await ports.trash.add(name, at).catch((cause: unknown) => onLeftOver(name, cause));
    });
  }
  // If the process is killed before this, garbage collection removes the previews.
  await ports.previewStorage.purge({ workspaceId: id }).catch((cause: unknown) => onLeftOver(id, cause));
  const removed = await ports.workspaces.removed(id);
  if (removed) onRemoved?.(id, removed);
}
