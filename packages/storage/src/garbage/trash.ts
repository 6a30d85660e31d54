import { isObjectKey, type Trash, type TrashedObject, type TrashRestoreOutcome } from '@postshelf/domain';
import type { KeyStore, ListedKey } from '../key-store.ts';
import { findObject } from '../objects/object-storage.ts';
import { requireObjectKey } from '../objects/staged.ts';
import { TRASHED, timesOf, trashFolder } from '../reserved-keys/trash-names.ts';
import { storageUnavailable } from '../unavailable.ts';

/**
 * Number of attempts to move an object. An attempt fails if another process removes the folders while they are still
 * empty.
 */
const ATTEMPTS = 16;

/** Keeps objects without an item, each under `.trash/{time}/{key}`. */
export class KeyedTrash implements Trash {
  constructor(private readonly keys: KeyStore) {}

  async add(key: string, at: number): Promise<boolean> {
    requireObjectKey(key);
    trashFolder(at);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const found = await findObject(this.keys, key);
      if (!found) return false;
      if (await this.keys.move(found, await this.#freeKey(key, at))) return true;
    }
    throw storageUnavailable(new Error(`An object could not be moved to the trash in ${ATTEMPTS} attempts.`));
  }

  /** Returns an unused key in the trash: for this time or, if that is taken, for the next free millisecond. */
  async #freeKey(key: string, at: number): Promise<string> {
    for (let time = at; ; time += 1) {
      const trashed = trashFolder(time) + key;
      if (!(await this.keys.find(trashed))) return trashed;
    }
  }

  async *list(): AsyncGenerator<TrashedObject> {
    for (const trashedAt of await this.#times()) {
      const folder = trashFolder(trashedAt);
      for await (const { key, size } of this.#within(folder)) yield { key: key.slice(folder.length), size, trashedAt };
    }
  }

  async restore({ key, trashedAt }: Pick<TrashedObject, 'key' | 'trashedAt'>): Promise<TrashRestoreOutcome> {
    requireObjectKey(key);
    const found = await this.keys.find(trashFolder(trashedAt) + key);
    if (!found) return 'not_in_trash';
    const outcome = await this.keys.publish(found, key);
    if (outcome !== 'published') return outcome === 'taken' ? 'object_there' : 'not_in_trash';
    await this.keys.purge(found.key);
    return 'restored';
  }

  async purge({ key, trashedAt }: Pick<TrashedObject, 'key' | 'trashedAt'>): Promise<void> {
    requireObjectKey(key);
    await this.keys.purge(trashFolder(trashedAt) + key);
  }

  async purgeBefore(before: number, onFreed: (bytes: number) => void = () => undefined): Promise<number> {
    let purged = 0;
    for (const at of await this.#times()) {
      if (at >= before) continue;
      for await (const { key, size, isSettled } of this.#within(trashFolder(at))) {
        await this.keys.purgeListed(key);
        purged += 1;
        // If a process was killed while it restored the object, the same bytes also exist under the object's own key,
        // so purging the copy in the trash frees nothing.
        if (isSettled !== false) onFreed(size);
      }
    }
    return purged;
  }

  async *#within(folder: string): AsyncGenerator<ListedKey> {
    for await (const listed of this.keys.list(folder)) if (isObjectKey(listed.key.slice(folder.length))) yield listed;
  }

  async #times(): Promise<number[]> {
    return timesOf(await this.keys.folders(TRASHED));
  }
}
