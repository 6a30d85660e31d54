import type { MediaItem } from '@postshelf/client';
import { useRef, useState } from 'react';
import type { Key, Selection } from 'react-stately';
import { useStableCallback } from '../ui/use-stable-callback.ts';
import { indexOfUnread, isUnread, type MediaRows, PAGE_SIZE } from './media-rows.ts';

const NONE: ReadonlySet<Key> = new Set();

/** Number of pages that are read concurrently for a selected range. */
const AT_A_TIME = 4;

export interface RowSelectionOptions {
  /** Identifies the list; when it changes, the selection is cleared. */
  readonly list: string;
  readonly rows: MediaRows;
  /** Reads the items of a page of the list. */
  readPage(page: number): Promise<readonly MediaItem[]>;
  readAll(): Promise<MediaItem[]>;
}

/** Keeps a list's selection: either the ids of some items, or all items, including those that haven't been read. */
export function useRowSelection({ list, rows, readPage, readAll }: RowSelectionOptions) {
  const [state, setState] = useState<{ readonly list: string; readonly selected: Selection }>({
    list,
    selected: NONE as Set<Key>,
  });
  if (state.list !== list) setState({ list, selected: NONE as Set<Key> });
  const known = useRef(new Map<string, MediaItem>());
  // The reading of the unread rows of a selected range; it resolves to the selection of the items by id.
  const reading = useRef<{ readonly range: Selection; readonly ids: Promise<ReadonlySet<Key>> } | null>(null);
  const { selected } = state;

  const select = useStableCallback((next: Selection) => {
    setState({ list, selected: next });
    if (next === 'all') return;
    for (const key of next) {
      const item = rows.valueAt(rows.indexOf(key));
      if (item) known.current.set(item.id, item);
    }
    for (const id of known.current.keys()) if (!next.has(id)) known.current.delete(id);
    const unread = [...next].filter(isUnread).map(String);
    if (unread.length === 0) return;
    const ids = readRange(next, unread);
    reading.current = { range: next, ids };
    ids.then(
      (found) => setState((was) => (was.selected === next ? { ...was, selected: found as Set<Key> } : was)),
      // `read` reports the failure, and tries again.
      () => {},
    );
  });

  /** Adds an item to the selection, even if the list doesn't contain it yet. */
  const add = (item: MediaItem, keepsOthers: boolean): void => {
    if (selected === 'all') return;
    known.current.set(item.id, item);
    setState((was) => ({
      list,
      selected: new Set(keepsOthers && was.selected !== 'all' ? [...was.selected, item.id] : [item.id]),
    }));
  };

  /** Selects items, even if the list doesn't contain them yet. */
  const set = (items: readonly MediaItem[]): void => {
    known.current = new Map(items.map((item) => [item.id, item]));
    setState({ list, selected: new Set(known.current.keys()) });
  };

  /** Replaces selected items by what they have become, because the list doesn't read those out of view again. */
  const update = (items: readonly MediaItem[]): void => {
    for (const item of items) if (known.current.has(item.id)) known.current.set(item.id, item);
  };

  const remove = (items: readonly MediaItem[]): void => {
    const ids = new Set<Key>(items.map(({ id }) => id));
    setState((was) =>
      was.selected === 'all' ? was : { ...was, selected: new Set([...was.selected].filter((key) => !ids.has(key))) },
    );
  };

  /**
   * Reads the unread rows of a selected range, and returns the ids of all its items. They are selected by id, because
   * another item may move to a row's position at any time.
   */
  const readRange = async (range: ReadonlySet<Key>, unread: readonly string[]): Promise<ReadonlySet<Key>> => {
    const ids = new Map<string, string>();
    const pages = Map.groupBy(unread, (key) => Math.floor(indexOfUnread(key) / PAGE_SIZE) + 1).entries();
    const work = async (): Promise<void> => {
      for (const [page, keys] of pages) {
        const items = await readPage(page);
        for (const key of keys) {
          const item = items[indexOfUnread(key) % PAGE_SIZE];
          if (!item) continue;
          known.current.set(item.id, item);
          ids.set(key, item.id);
        }
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
    return new Set([...range].flatMap((key) => (isUnread(key) ? (ids.get(String(key)) ?? []) : key)));
  };

  /** Reads the selected items, including those of rows that are being read. @throws PostshelfError if that fails */
  const read = async (keys: Selection = selected): Promise<MediaItem[]> => {
    if (keys === 'all') return readAll();
    let ids: ReadonlySet<Key> = keys;
    const unread = [...keys].filter(isUnread).map(String);
    if (unread.length > 0) {
      const begun = reading.current?.range === keys ? reading.current.ids : null;
      ids = await (begun?.catch(() => readRange(keys, unread)) ?? readRange(keys, unread));
    }
    // The list's rows are newer than the items that were kept when they were selected.
    return [...ids].flatMap((key) => rows.valueAt(rows.indexOf(key)) ?? known.current.get(String(key)) ?? []);
  };

  return {
    selected,
    count: selected === 'all' ? rows.size : selected.size,
    select,
    add,
    set,
    update,
    remove,
    clear: () => select(new Set()),
    selectAll: () => select('all'),
    read,
  };
}
