import type { MediaItem } from '@postshelf/client';
import type { RowSource } from '../ui/row-collection.ts';

/** Items per page: the service's maximum. */
export const PAGE_SIZE = 100;

const UNREAD = 'unread:';

/**
 * Whether a key belongs to an unread row. The page of such a row hasn't been read, so only the row's position is known.
 */
export const isUnread = (key: unknown): boolean => typeof key === 'string' && key.startsWith(UNREAD);
export const indexOfUnread = (key: string): number => Number(key.slice(UNREAD.length));

/**
 * The rows of a partially read list. An item that moved between two reads is on two pages; it is shown only on the page
 * that was read last.
 *
 * @param pages the pages with their numbers from 1, the most recently read first
 */
export class MediaRows implements RowSource<MediaItem> {
  private readonly items = new Map<number, MediaItem>();
  private readonly places = new Map<string, number>();

  constructor(
    readonly size: number,
    pages: Iterable<readonly [number: number, items: readonly MediaItem[]]>,
  ) {
    for (const [number, items] of pages) {
      items.forEach((item, at) => {
        const index = (number - 1) * PAGE_SIZE + at;
        if (index >= size || this.places.has(item.id)) return;
        this.items.set(index, item);
        this.places.set(item.id, index);
      });
    }
  }

  get known(): number {
    return this.items.size;
  }

  keyAt(index: number): string {
    return this.items.get(index)?.id ?? `${UNREAD}${index}`;
  }

  /** Returns the position of a row; -1 if there is none. The key of an unread row stays valid after the row is read. */
  indexOf(key: unknown): number {
    const text = String(key);
    const index = isUnread(text) ? indexOfUnread(text) : (this.places.get(text) ?? -1);
    return index < this.size ? index : -1;
  }

  /** Yields the items that have been read, with their positions. */
  read(): Iterable<[index: number, item: MediaItem]> {
    return this.items.entries();
  }

  valueAt(index: number): MediaItem | null {
    return this.items.get(index) ?? null;
  }

  nameAt(index: number): string {
    const item = this.items.get(index);
    return item ? nameOfRow(item) : '';
  }
}

/** The row's name for screen readers, with the status unless it is `active`. */
const nameOfRow = ({ name, status }: MediaItem): string => (status === 'active' ? name : `${name}, ${status}`);
