import { notFound, type RemovedCounts, type Uuid, type Workspace } from '@postshelf/domain';
import { done, type JobHandler, oneByOne } from '../jobs/job-handler.ts';
import { type OwnershipReadPorts, requireOwnership } from '../library/ownership.ts';
import type { Ports } from '../ports.ts';

type DeletePorts = OwnershipReadPorts & Pick<Ports, 'workspaces' | 'trash' | 'deletions' | 'previewStorage'>;

/** So that others wait some milliseconds at most. */
const STEP = 200;

const AT_ONCE = 8;

export interface RemovalOptions {
  /** Called for an object that couldn't be moved to the trash; garbage collection takes it. */
  readonly onLeftOver?: (fullName: string, cause: unknown) => void;
  /** Called with what has gone of a workspace, once nothing is left. */
  readonly onRemoved?: (id: Uuid, removed: RemovedCounts) => void;
  /** Ends the work before its next step. */
  readonly signal?: AbortSignal;
}

/**
 * From now on no request finds the workspace. A job does the rest, in whatever process.
 *
 * @throws OwnershipRefused if the storage doesn't belong to the database's library; Refusal `not_found` if it was deleted
 * meanwhile
 */
export async function beginRemoval(
  ports: OwnershipReadPorts & Pick<Ports, 'workspaces'>,
  { id }: Pick<Workspace, 'id'>,
): Promise<void> {
  await requireOwnership(ports);
  if (!(await ports.workspaces.beginRemoval(id, ports.clock.now()))) throw notFound();
}

/**
 * Deletes a workspace with all its contents. From the first transaction on no request finds it. Rows are deleted in
 * many transactions, each before its objects go to the trash, so that until that is emptied a backup's rows can be put
 * back. After a kill call it again, or let the job do so.
 *
 * @throws OwnershipRefused if the storage doesn't belong to the database's library: nothing was done
 */
export async function deleteWorkspace(ports: DeletePorts, id: Uuid, options: RemovalOptions = {}): Promise<void> {
  await requireOwnership(ports);
  await ports.workspaces.beginRemoval(id, ports.clock.now());
  await finishRemoval(ports, id, options);
}

/**
 * Removes what is left of workspaces that were deleted. Outcomes: `removed`, `stopped`.
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

/** All that are under way; what another process still works on is shared by both. */
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
    const remains = await ports.workspaces.removeBatch(id, STEP, at);
    if (remains === null) break;
    await ports.deletions.record(remains.uploads.map((upload) => ({ id: upload, fullName: null, deletedAt: at })));
    for (let done = 0; done < remains.fullNames.length; done += AT_ONCE) {
      const some = remains.fullNames.slice(done, done + AT_ONCE);
      const toTrash = (name: string): Promise<unknown> =>
        ports.trash.add(name, at).catch((cause: unknown) => onLeftOver(name, cause));
      await Promise.all(some.map(toTrash));
    }
  }
  // Garbage collection removes what a kill leaves.
  await ports.previewStorage.remove({ workspaceId: id }).catch((cause: unknown) => onLeftOver(id, cause));
  const removed = await ports.workspaces.removed(id);
  if (removed) onRemoved?.(id, removed);
}
