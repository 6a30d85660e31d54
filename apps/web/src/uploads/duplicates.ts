import type { MediaItem } from '@postshelf/client';
import { client } from '../service/service.ts';

/** Items that the library had with the bytes of an uploaded one, by the id of that. */
let originals: ReadonlyMap<string, MediaItem> = new Map();
const listeners = new Set<() => void>();

/** For `useSyncExternalStore`. */
export const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const listOriginals = (): ReadonlyMap<string, MediaItem> => originals;

/** Most that wait: of thousands of files nobody reads which ones were there. */
const MOST = 100;

let waiting = 0;
let last: Promise<void> = Promise.resolve();

/** Finds out whether the library had the same file already, one after the other, as that matters less than the uploads. */
export function lookForOriginal(item: MediaItem): void {
  if (waiting >= MOST) return;
  waiting += 1;
  last = last.then(async () => {
    try {
      const original = await findOriginal(item);
      if (original === null) return;
      originals = new Map(originals).set(item.id, original);
      for (const listener of listeners) listener();
    } catch {
      // The file is stored; that it was there before is a hint, which the next request may not give either.
    } finally {
      waiting -= 1;
    }
  });
}

async function findOriginal({ id, full_name }: MediaItem): Promise<MediaItem | null> {
  const { data } = await client.trpc.media.get.query({ id, include: 'details' });
  const sha256 = data.details?.sha256;
  // Not yet known of a file in a bucket.
  if (!sha256) return null;
  const workspace = full_name.slice(0, full_name.indexOf('/'));
  const found = await client.trpc.media.list.query({ workspace, sha256, sort: 'created_at', per_page: 1 });
  const [oldest] = found.data;
  return oldest && oldest.id !== id ? oldest : null;
}
