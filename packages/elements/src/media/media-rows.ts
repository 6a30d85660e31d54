import type { MediaItem } from '@postshelf/client';
import type { RowSource } from '../ui/row-collection.ts';

/** Items of a page; the most that the service gives. */
export const PAGE_SIZE = 100;

const UNREAD = 'unread:';

/** The key of a row whose page wasn't read yet: known only by its position. */
export const isUnread = (key: unknown): boolean => typeof key === 'string' && key.startsWith(UNREAD);
export const placeOfUnread = (key: string): number => Number(key.slice(UNREAD.length));

/**
 * The rows of a list of which some pages were read. An item that moved between pages between two reads is shown once,
 * where it was read last.
 *
 * @param pages by number from 1, those read last in front
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

  /** How many of them were read. */
  get known(): number {
    return this.items.size;
  }

  keyAt(index: number): string {
    return this.items.get(index)?.id ?? `${UNREAD}${index}`;
  }

  /** A row may still be looked up by its position after it was read. */
  indexOf(key: unknown): number {
    const text = String(key);
    const index = isUnread(text) ? placeOfUnread(text) : (this.places.get(text) ?? -1);
    return index < this.size ? index : -1;
  }

  valueAt(index: number): MediaItem | null {
    return this.items.get(index) ?? null;
  }

  nameAt(index: number): string {
    const item = this.items.get(index);
    return item ? nameOfRow(item) : '';
  }
}

/** The name for screen readers, with the status unless it is the usual one. */
const nameOfRow = ({ name, status }: MediaItem): string => (status === 'active' ? name : `${name}, ${status}`);
