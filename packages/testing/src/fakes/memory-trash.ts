import { isObjectKey, type Trash } from '@postshelf/domain';
import type { MemoryBacking } from './memory-storage.ts';

/** Creates a trash in memory for the objects of a storage with the same backing. */
export function memoryTrash({ published, trash }: MemoryBacking): Trash {
  const latestFirst = () => [...trash].sort((a, b) => b.trashedAt - a.trashedAt);
  const find = (key: string, at: number) => [...trash].find((one) => one.key === key && one.trashedAt === at);
  return {
    async add(key, at) {
      check(key, at);
      const entry = published.get(key);
      if (!entry) return false;
      let trashedAt = at;
      while (find(key, trashedAt)) trashedAt += 1;
      trash.add({ key, trashedAt, entry });
      published.delete(key);
      return true;
    },

    async *list() {
      for (const { key, trashedAt, entry } of latestFirst()) yield { key, trashedAt, size: entry.bytes.byteLength };
    },

    async restore({ key, trashedAt }) {
      check(key, trashedAt);
      const found = find(key, trashedAt);
      if (!found) return 'not_in_trash';
      if (published.has(key)) return 'object_there';
      trash.delete(found);
      published.set(key, found.entry);
      return 'restored';
    },

    async purge({ key, trashedAt }) {
      check(key, trashedAt);
      const found = find(key, trashedAt);
      if (found) trash.delete(found);
    },

    async purgeBefore(before, onFreed) {
      const old = latestFirst().filter(({ trashedAt }) => trashedAt < before);
      for (const one of old) {
        trash.delete(one);
        onFreed?.(one.entry.bytes.byteLength);
      }
      return old.length;
    },
  };
}

function check(key: string, at: number): void {
  if (!isObjectKey(key)) throw new Error('Not the key of an object.');
  if (!Number.isSafeInteger(at) || at < 0) throw new RangeError('Not a time.');
}
