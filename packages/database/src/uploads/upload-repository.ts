import type { ActiveMedia, MediaWithCover, NewFile, UploadRepository, Uuid } from '@postshelf/domain';
import { lockBytes, lockDuplicate } from '../duplicates/find-duplicate.ts';
import { completeWithin } from '../idempotency/complete.ts';
import { insertItems } from '../media/write-items.ts';
import type { Queries } from '../store/dialect.ts';
import type { Store } from '../store/store.ts';

export function uploadRepository(store: Store): UploadRepository {
  return {
    insertNew: (workspaceId, files, known, complete) =>
      store.write(async (transaction) => {
        const hashes = [...known, ...files.flatMap(({ item }) => item.content.sha256 ?? [])];
        await lockBytes(transaction, store.dialect, workspaceId, hashes);
        const found = await lockDuplicates(transaction, workspaceId, hashes);
        if (known.some((sha256) => !found.has(sha256))) return 'gone';
        const items = await insertOthers(transaction, files, found);
        if (complete && items !== 'folder_missing') await completeWithin(transaction, complete(items));
        return items;
      }),
  };
}

async function lockDuplicates(
  queries: Queries,
  workspaceId: Uuid,
  hashes: readonly string[],
): Promise<Map<string, MediaWithCover>> {
  const found = new Map<string, MediaWithCover>();
  // The hashes are sorted, so that two transactions that lock the same items can't deadlock.
  for (const sha256 of [...new Set(hashes)].sort()) {
    const media = await lockDuplicate(queries, workspaceId, sha256);
    if (media) found.set(sha256, media);
  }
  return found;
}

/** Inserts files that are not duplicates. If several have the same bytes, only the first is inserted. */
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
