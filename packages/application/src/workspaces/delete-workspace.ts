import type { Uuid } from '@postshelf/domain';
import { type OwnershipReadPorts, requireOwnership } from '../library/ownership.ts';
import type { Ports } from '../ports.ts';

type DeletePorts = OwnershipReadPorts & Pick<Ports, 'workspaces' | 'trash' | 'deletions' | 'previewStorage'>;

/** So that others wait some milliseconds at most. */
const STEP = 200;

const AT_ONCE = 8;

/** Called for an object that couldn't be moved to the trash; garbage collection takes it. */
type OnLeftOver = (fullName: string, cause: unknown) => void;

/**
 * Deletes a workspace with all its contents. From the first transaction on no request finds it. Rows are deleted in
 * many transactions, each before its objects go to the trash, so that until that is emptied a backup's rows can be put
 * back. After a kill call it again, or let {@link finishRemovals} do so.
 *
 * @throws OwnershipRefused if the storage doesn't belong to the database's library: nothing was done
 */
export async function deleteWorkspace(ports: DeletePorts, id: Uuid, onLeftOver: OnLeftOver): Promise<void> {
  await requireOwnership(ports);
  const at = ports.clock.now();
  await ports.workspaces.beginRemoval(id, at);
  for (;;) {
    const remains = await ports.workspaces.removeBatch(id, STEP);
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
}

/** What another process still works on is shared by both. */
export async function finishRemovals(ports: DeletePorts, onLeftOver: OnLeftOver): Promise<void> {
  for (const id of await ports.workspaces.pendingRemovals()) await deleteWorkspace(ports, id, onLeftOver);
}
