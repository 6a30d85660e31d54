import type { Uuid } from '@postshelf/domain';
import { checkOwnership, type OwnershipReadPorts } from '../library/ownership.ts';
import type { Ports } from '../ports.ts';

type Needed = OwnershipReadPorts & Pick<Ports, 'workspaces' | 'trash' | 'presignStorage'>;

/** Rows of a kind that one transaction removes: what others wait for meanwhile is some milliseconds. */
const STEP = 200;

/** Objects that are set aside at once. */
const AT_ONCE = 8;

/** Hears of an object that could not be set aside. Without a row, it goes with the garbage. */
type OnLeftOver = (fullName: string, cause: unknown) => void;

/**
 * Deletes a workspace with all that it holds. From the first moment on nobody knows it any more, its links included; its
 * rows go in many transactions, each before its objects, which are set aside as garbage is: who deleted the wrong one has
 * the days of the trash to put a backup's rows back. Where it is killed, it may be called again, and
 * {@link finishRemovals} goes on.
 *
 * @throws OwnershipRefused where the storage is not of the database's library: nothing was done
 */
export async function deleteWorkspace(ports: Needed, id: Uuid, onLeftOver: OnLeftOver): Promise<void> {
  await checkOwnership(ports);
  const at = ports.clock.now();
  await ports.workspaces.beginRemoval(id, at);
  for (;;) {
    const remains = await ports.workspaces.removeBatch(id, STEP);
    if (remains === null) return;
    const removals = [
      ...remains.fullNames.map((fullName) => ({ name: fullName, remove: () => ports.trash.setAside(fullName, at) })),
      ...remains.uploads.map((upload) => ({ name: upload, remove: () => ports.presignStorage.remove(upload) })),
    ];
    for (let done = 0; done < removals.length; done += AT_ONCE) {
      const some = removals.slice(done, done + AT_ONCE);
      await Promise.all(
        some.map(({ name, remove }): Promise<unknown> => remove().catch((cause: unknown) => onLeftOver(name, cause))),
      );
    }
  }
}

/** Goes on with removals that were begun and killed; of those that somebody is at, both do some. */
export async function finishRemovals(ports: Needed, onLeftOver: OnLeftOver): Promise<void> {
  for (const id of await ports.workspaces.pendingRemovals()) await deleteWorkspace(ports, id, onLeftOver);
}
