import type { MediaItem } from '@postshelf/client';
import { client } from '../service/service.ts';

/** By the id of an uploaded item, the oldest item in the library that has the same bytes. */
let originals: ReadonlyMap<string, MediaItem> = new Map();
const listeners = new Set<() => void>();

/** The `subscribe` function for `useSyncExternalStore`. */
export const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const listOriginals = (): ReadonlyMap<string, MediaItem> => originals;

/** Maximum number of waiting checks; users wouldn't read the results for thousands of files. */
const MOST = 100;

let waiting = 0;
let last: Promise<void> = Promise.resolve();

/** Checks whether the library already had the same file. Checks run one at a time, because uploads matter more. */
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
      // Failures are ignored: the file is stored, and the link to the earlier item is only a hint.
    } finally {
      waiting -= 1;
    }
  });
}

async function findOriginal({ id, full_name }: MediaItem): Promise<MediaItem | null> {
  const { data } = await client.trpc.media.get.query({ id, include: 'details' });
  const sha256 = data.details?.sha256;
  // The hash of a file in a bucket might not be known yet.
  if (!sha256) return null;
  const workspace = full_name.slice(0, full_name.indexOf('/'));
  const found = await client.trpc.media.list.query({ workspace, sha256, sort: 'created_at', per_page: 1 });
  const [oldest] = found.data;
  return oldest && oldest.id !== id ? oldest : null;
}
