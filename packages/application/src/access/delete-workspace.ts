import type { Uuid } from '@postshelf/domain';
import type { Ports } from '../ports.ts';

type Needed = Pick<Ports, 'workspaces' | 'storage' | 'uploads'>;

/** Rows of a kind that one transaction removes: what others wait for meanwhile is some milliseconds. */
const STEP = 200;

/** Objects that are removed at once. */
const AT_ONCE = 8;

/** Hears of an object that could not be removed. Without a row, it goes with the garbage. */
type OnLeftOver = (fullName: string, cause: unknown) => void;

/**
 * Deletes a workspace with all that it holds. From the first moment on nobody knows it any more, its links included; its
 * rows go in many transactions, each before its objects. Where it is killed, it may be called again, and
 * {@link finishRemovals} goes on.
 */
export async function deleteWorkspace(ports: Needed, id: Uuid, onLeftOver: OnLeftOver): Promise<void> {
  await ports.workspaces.beginRemoval(id);
  for (;;) {
    const remains = await ports.workspaces.removeSome(id, STEP);
    if (remains === null) return;
    const removals = [
      ...remains.fullNames.map((fullName) => ({ name: fullName, remove: () => ports.storage.remove(fullName) })),
      ...remains.uploads.map((upload) => ({ name: upload, remove: () => ports.uploads.remove(upload) })),
    ];
    for (let at = 0; at < removals.length; at += AT_ONCE) {
      const some = removals.slice(at, at + AT_ONCE);
      await Promise.all(some.map(({ name, remove }) => remove().catch((cause: unknown) => onLeftOver(name, cause))));
    }
  }
}

/** Goes on with removals that were begun and killed; of those that somebody is at, both do some. */
export async function finishRemovals(ports: Needed, onLeftOver: OnLeftOver): Promise<void> {
  for (const id of await ports.workspaces.removing()) await deleteWorkspace(ports, id, onLeftOver);
}
