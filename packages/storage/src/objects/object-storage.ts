import {
  isObjectKey,
  type ListedObject,
  type ObjectStorage,
  type StagedObject,
  type StageOptions,
  type StoredObject,
} from '@postshelf/domain';
import type { Found, KeyStore } from '../key-store.ts';
import { HIDDEN } from '../reserved-keys/trash-names.ts';
import { requireObjectKey, staged } from './staged.ts';

/** Returns an object, hidden or not. */
export const findObject = async (keys: KeyStore, key: string): Promise<Found | null> =>
  (await keys.find(key)) ?? (keys.isReadByOthers ? keys.find(HIDDEN + key) : null);

/** Stores objects under their keys. In a store that readers can access directly, hidden objects have other keys. */
export class KeyedObjects implements ObjectStorage {
  constructor(private readonly keys: KeyStore) {}

  async stage(body: AsyncIterable<Uint8Array>, options: StageOptions): Promise<StagedObject> {
    return staged(await this.keys.stage(body, options), (key) => this.#storedKey(key));
  }

  async open(key: string): Promise<StoredObject | null> {
    requireObjectKey(key);
    const found = await findObject(this.keys, key);
    if (!found) await this.keys.requirePresent();
    return found;
  }

  async purge(key: string): Promise<void> {
    requireObjectKey(key);
    await this.keys.purge(key);
    if (this.keys.isReadByOthers) await this.keys.purge(HIDDEN + key);
  }

  async *list(): AsyncGenerator<ListedObject> {
    for await (const { key, size, modifiedAt, isSettled } of this.keys.list('')) {
      if (isObjectKey(key)) yield { key, size, modifiedAt, isSettled: isSettled ?? false };
    }
    if (!this.keys.isReadByOthers) return;
    for await (const { key: hidden, size, modifiedAt } of this.keys.list(HIDDEN)) {
      const key = hidden.slice(HIDDEN.length);
      if (isObjectKey(key)) yield { key, size, modifiedAt, isSettled: false, isHidden: true };
    }
  }

  /**
   * Hides an object. If {@link show} has kept a hidden copy, the copy is replaced, because the visible object may have
   * been repaired since.
   */
  async hide(key: string): Promise<void> {
    requireObjectKey(key);
    const found = this.keys.isReadByOthers ? await this.keys.find(key) : null;
    if (found) await this.keys.move(found, HIDDEN + key);
  }

  /**
   * Shows an object. Its hidden copy is kept until {@link purge}, because a running {@link hide} may still remove the
   * visible object.
   */
  async show(key: string): Promise<void> {
    requireObjectKey(key);
    const hidden = this.keys.isReadByOthers ? await this.keys.find(HIDDEN + key) : null;
    if (hidden) await this.keys.publish(hidden, key);
  }

  /** Returns the key under which an object's bytes are replaced: for a hidden object, the key of its hidden copy. */
  async #storedKey(key: string): Promise<string> {
    if (!this.keys.isReadByOthers || (await this.keys.find(key))) return key;
    return (await this.keys.find(HIDDEN + key)) ? HIDDEN + key : key;
  }

  discardAbandoned(before: number, onFreed?: (bytes: number) => void): Promise<number> {
    return this.keys.discardAbandoned(before, onFreed);
  }

  check(): Promise<void> {
    return this.keys.check();
  }
}
