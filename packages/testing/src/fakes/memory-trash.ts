import { isObjectKey, type Trash } from '@postshelf/domain';
import type { MemoryBacking } from './memory-storage.ts';

/** The trash of objects in memory, over what their storage is over. */
export function memoryTrash({ published, trash }: MemoryBacking): Trash {
  const latestFirst = () => [...trash].sort((a, b) => b.setAsideAt - a.setAsideAt);
  const find = (key: string, at: number) => [...trash].find((one) => one.key === key && one.setAsideAt === at);
  return {
    async setAside(key, at) {
      check(key, at);
      const entry = published.get(key);
      if (!entry) return false;
      let setAsideAt = at;
      while (find(key, setAsideAt)) setAsideAt += 1;
      trash.add({ key, setAsideAt, entry });
      published.delete(key);
      return true;
    },

    async *list() {
      for (const { key, setAsideAt, entry } of latestFirst()) yield { key, setAsideAt, size: entry.bytes.byteLength };
    },

    async restore({ key, setAsideAt }) {
      check(key, setAsideAt);
      const found = find(key, setAsideAt);
      if (!found) return 'not_in_trash';
      if (published.has(key)) return 'object_there';
      trash.delete(found);
      published.set(key, found.entry);
      return 'brought_back';
    },

    async remove({ key, setAsideAt }) {
      check(key, setAsideAt);
      const found = find(key, setAsideAt);
      if (found) trash.delete(found);
    },

    async empty(before, onFreed) {
      const old = latestFirst().filter(({ setAsideAt }) => setAsideAt < before);
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
