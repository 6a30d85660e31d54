import type { MediaItem } from '@postshelf/client';
import { useRef, useState } from 'react';
import type { Selection } from 'react-aria-components';
import type { Key } from 'react-stately';
import { client, queryClient } from '../../service/service.ts';
import { groupBy } from '../../ui/group-by.ts';
import { useStable } from '../../ui/use-stable.ts';
import { isUnread, type MediaRows, PAGE_SIZE, placeOfUnread } from '../media-rows.ts';
import type { MediaFilter } from '../use-media-filter.ts';
import { pageQuery } from '../use-media-pages.ts';

const NONE: ReadonlySet<Key> = new Set();

/** Pages read at a time for a range whose rows were scrolled past. */
const AT_A_TIME = 4;

/** What is selected of a list: items by their ids, or all that it holds, read or not. */
export function useSelection(filter: MediaFilter, rows: MediaRows) {
  const list = JSON.stringify(filter);
  const [state, setState] = useState<{ readonly list: string; readonly selected: Selection }>({
    list,
    selected: NONE as Set<Key>,
  });
  // Another list begins with nothing.
  if (state.list !== list) setState({ list, selected: NONE as Set<Key> });
  const known = useRef(new Map<string, MediaItem>());
  const { selected } = state;

  const select = useStable((next: Selection) => {
    setState({ list, selected: next });
    if (next === 'all') return;
    for (const key of next) {
      const item = rows.valueAt(rows.indexOf(key));
      if (item) known.current.set(item.id, item);
    }
    for (const id of known.current.keys()) if (!next.has(id)) known.current.delete(id);
    const unread = [...next].filter(isUnread).map(String);
    if (unread.length > 0) void readRange(next, unread);
  });

  /** A range may reach over rows that were never read: by their places they are known for this moment alone. */
  const readRange = async (range: Set<Key>, unread: readonly string[]): Promise<void> => {
    const ids = new Map<string, string>();
    const pages = groupBy(unread, (key) => Math.floor(placeOfUnread(key) / PAGE_SIZE) + 1).entries();
    const work = async (): Promise<void> => {
      for (const [page, keys] of pages) {
        const { data } = await queryClient.fetchQuery({ ...pageQuery(filter, page), staleTime: 30_000 });
        for (const key of keys) {
          const item = data[placeOfUnread(key) % PAGE_SIZE];
          if (!item) continue;
          known.current.set(item.id, item);
          ids.set(key, item.id);
        }
      }
    };
    // What could not be read isn't selected.
    await Promise.allSettled(Array.from({ length: AT_A_TIME }, work));
    setState((was) => {
      if (was.selected !== range) return was;
      const read = [...range].flatMap((key) => (isUnread(key) ? (ids.get(String(key)) ?? []) : key));
      return { ...was, selected: new Set(read) };
    });
  };

  /** The items themselves. @throws PostshelfError where they can't be read */
  const read = async (keys: Selection = selected): Promise<MediaItem[]> => {
    if (keys !== 'all') {
      return [...keys].flatMap((key) => known.current.get(String(key)) ?? rows.valueAt(rows.indexOf(key)) ?? []);
    }
    const items = new Map<string, MediaItem>();
    const input = { ...filter, per_page: PAGE_SIZE, include: 'details' as const };
    for await (const { data } of client.pages(client.trpc.media.list, input))
      for (const item of data) items.set(item.id, item);
    return [...items.values()];
  };

  return {
    selected,
    count: selected === 'all' ? rows.size : selected.size,
    select,
    clear: () => select(new Set()),
    selectAll: () => select('all'),
    read,
  };
}
