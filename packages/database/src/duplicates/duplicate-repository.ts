import type { ActiveMedia, DuplicateRepository, MediaWithCover, NewFile, Uuid } from '@postshelf/domain';
import { withCover } from '../media/media-rows.ts';
import { insertItems, removeAliases } from '../media/write-items.ts';
import { completeWithin } from '../repeats/complete.ts';
import type { Queries } from '../store/dialect.ts';
import type { Store } from '../store/store.ts';
import { itemsWithBytes, lockBytes, lockDuplicate } from './find-duplicate.ts';

export function duplicateRepository(store: Store): DuplicateRepository {
  return {
    async find(workspaceId, sha256) {
      const found = await store.read((snapshot) =>
        withItsCover(snapshot, itemsWithBytes(snapshot, workspaceId, sha256)),
      );
      // The caller drops a file for this item, which must survive a power cut.
      if (found) await store.settled();
      return found;
    },

    insert: (workspaceId, files, known, complete) =>
      store.write(async (transaction) => {
        const hashes = [...known, ...files.flatMap(({ item }) => item.content.sha256 ?? [])];
        await lockBytes(transaction, store.dialect, workspaceId, hashes);
        const found = await lockDuplicates(transaction, workspaceId, hashes);
        if (known.some((sha256) => !found.has(sha256))) return 'gone';
        const items = await insertOthers(transaction, files, found);
        if (complete && items !== 'folder_missing') await completeWithin(transaction, complete(items));
        return items;
      }),

    resolve: (id, now) =>
      store.read((snapshot) =>
        withItsCover(
          snapshot,
          snapshot
            .selectFrom('duplicates')
            .innerJoin('media', 'media.id', 'duplicates.media_id')
            .selectAll('media')
            .where('duplicates.id', '=', id)
            .where('duplicates.expires_at', '>', now),
        ),
      ),

    reap: (before, limit) =>
      store.write((transaction) =>
        removeAliases(transaction, (aliases) => aliases.where('expires_at', '<=', before), limit),
      ),
  };
}

async function lockDuplicates(
  queries: Queries,
  workspaceId: Uuid,
  hashes: readonly string[],
): Promise<Map<string, MediaWithCover>> {
  const found = new Map<string, MediaWithCover>();
  // Two transactions that lock the same items mustn't deadlock.
  for (const sha256 of [...new Set(hashes)].sort()) {
    const media = await lockDuplicate(queries, workspaceId, sha256);
    if (media) found.set(sha256, media);
  }
  return found;
}

/** Of several with the same bytes only the first. */
async function insertOthers(
  queries: Queries,
  files: readonly NewFile[],
  found: Map<string, MediaWithCover>,
): Promise<ReadonlyMap<string, MediaWithCover> | 'folder_missing'> {
  const items: ActiveMedia[] = [];
  const due: Uuid[] = [];
  for (const { item, cover } of files) {
    const { sha256 } = item.content;
    if (sha256 === null) throw new Error(`The hash of ${item.id} is not known, so its duplicates cannot be found`);
    if (found.has(sha256)) continue;
    items.push(item);
    if (cover === 'due') due.push(item.id);
    else if (cover !== null) items.push(cover);
    found.set(sha256, { item, cover: cover === 'due' ? null : cover });
  }
  return (await insertItems(queries, items, due)) === 'kept' ? found : 'folder_missing';
}

async function withItsCover(
  queries: Queries,
  item: { executeTakeFirst(): Promise<Parameters<typeof withCover>[0] | undefined> },
): Promise<MediaWithCover | null> {
  const row = await item.executeTakeFirst();
  if (!row) return null;
  const coverRow = await queries.selectFrom('media').selectAll().where('cover_of', '=', row.id).executeTakeFirst();
  return withCover(row, coverRow);
}
