import { isObjectKey, type Trash, type TrashedObject, type TrashRestoreOutcome } from '@postshelf/domain';
import { timesOf } from '../../layout/trash-names.ts';
import { requireObjectKey } from '../../objects/staged.ts';
import type { S3Connection } from '../client/connection.ts';
import { copyChecked } from '../client/copy.ts';
import { isMissing } from '../client/failures.ts';
import { TRASHED, trashFolder } from '../client/keys.ts';
import { type ListedKey, listFolders, listKeys } from '../client/list.ts';
import { lookUp, lookUpObject } from '../client/look-up.ts';
import { removeKey } from '../client/remove.ts';
import { publish } from '../objects/publish.ts';

/**
 * The trash of a bucket: `.trash/{time}/{key}`. S3 can't move objects, so an object is copied, and removed after the
 * copy's size was checked; a kill in between leaves both.
 */
export class S3Trash implements Trash {
  constructor(private readonly s3: S3Connection) {}

  async add(key: string, at: number): Promise<boolean> {
    requireObjectKey(key);
    trashFolder(at);
    const found = await lookUpObject(this.s3, key);
    if (!found) return false;
    try {
      await copyChecked(this.s3, found, await this.#freePlace(key, at));
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
    await removeKey(this.s3, found.key);
    return true;
  }

  async #freePlace(key: string, at: number): Promise<string> {
    for (let time = at; ; time += 1) {
      const place = trashFolder(time) + key;
      if (!(await lookUp(this.s3, place))) return place;
    }
  }

  async *list(): AsyncGenerator<TrashedObject> {
    for (const trashedAt of await this.#times()) {
      for await (const { key, size } of this.#within(trashedAt)) yield { key, size, trashedAt };
    }
  }

  async restore({ key, trashedAt }: Pick<TrashedObject, 'key' | 'trashedAt'>): Promise<TrashRestoreOutcome> {
    requireObjectKey(key);
    const found = await lookUp(this.s3, trashFolder(trashedAt) + key);
    if (!found) return 'not_in_trash';
    try {
      if (!(await publish(this.s3, found, key))) return 'object_there';
    } catch (error) {
      if (isMissing(error)) return 'not_in_trash';
      throw error;
    }
    await removeKey(this.s3, found.key);
    return 'restored';
  }

  async remove({ key, trashedAt }: Pick<TrashedObject, 'key' | 'trashedAt'>): Promise<void> {
    requireObjectKey(key);
    await removeKey(this.s3, trashFolder(trashedAt) + key);
  }

  async empty(before: number, onFreed: (bytes: number) => void = () => undefined): Promise<number> {
    let removed = 0;
    for (const at of await this.#times()) {
      if (at >= before) continue;
      for await (const { key, size } of this.#within(at)) {
        await removeKey(this.s3, trashFolder(at) + key);
        removed += 1;
        onFreed(size);
      }
    }
    return removed;
  }

  async #times(): Promise<number[]> {
    return timesOf(await listFolders(this.s3, TRASHED));
  }

  async *#within(at: number): AsyncGenerator<ListedKey> {
    const folder = trashFolder(at);
    for await (const listed of listKeys(this.s3, { prefix: folder })) {
      const key = listed.key.slice(folder.length);
      if (isObjectKey(key)) yield { ...listed, key };
    }
  }
}
