import { isDeepStrictEqual } from 'node:util';
import { type StorageMark, type StorageMarker, UnreadableMark } from '@postshelf/domain';

/** State that several instances share; `unreadable` means that the mark was replaced by other bytes. */
export interface MemoryMark {
  mark: StorageMark | null | 'unreadable';
}

export const memoryMarker = (backing: MemoryMark = { mark: null }): StorageMarker => ({
  async read() {
    if (backing.mark === 'unreadable') throw new UnreadableMark('memory');
    return backing.mark;
  },
  async create(mark) {
    if (backing.mark !== null) return false;
    backing.mark = mark;
    return true;
  },
  async write(mark) {
    backing.mark = mark;
  },
  async swap(from, to) {
    if (!isDeepStrictEqual(backing.mark, from)) return false;
    backing.mark = to;
    return true;
  },
});
