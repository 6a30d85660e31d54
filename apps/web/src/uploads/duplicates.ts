import { workspaceOf } from '@postshelf/browser/media/media-facts.ts';
import { createStore } from '@postshelf/browser/ui/store.ts';
import type { MediaItem } from '@postshelf/client';
import { client } from '../service/service.ts';

const originals = createStore<ReadonlyMap<string, MediaItem>>(new Map());

/** Returns, by the id of an uploaded item, the oldest item in the library that has the same bytes. */
export const useOriginals = originals.use;

/** Maximum number of waiting checks; users wouldn't read the results for thousands of files. */
const MAX_WAITING = 100;

let waiting = 0;
let last: Promise<void> = Promise.resolve();

/** Checks whether the library already had the same file. Checks run one at a time, because uploads matter more. */
export function lookForOriginal(item: MediaItem): void {
  if (waiting >= MAX_WAITING) return;
  waiting += 1;
  last = last.then(async () => {
    try {
      const original = await findOriginal(item);
      if (original !== null) originals.set(new Map(originals.get()).set(item.id, original));
    } catch {
      // Failures are ignored: the file is stored, and the link to the earlier item is only a hint.
    } finally {
      waiting -= 1;
    }
  });
}

async function findOriginal(item: MediaItem): Promise<MediaItem | null> {
  const { id } = item;
  const { data } = await client.trpc.media.get.query({ id, include: 'details' });
  const sha256 = data.details?.sha256;
  // The hash of a file in a bucket might not be known yet.
  if (!sha256) return null;
  const found = await client.trpc.media.list.query({
    workspace: workspaceOf(item),
    sha256,
    sort: 'created_at',
    per_page: 1,
  });
  const [oldest] = found.data;
  return oldest && oldest.id !== id ? oldest : null;
}
