import type { DuplicateRepository } from '@postshelf/domain';
import { removeAliases } from '../media/write-items.ts';
import type { Store } from '../store/store.ts';
import { itemsWithBytes, withItsCover } from './find-duplicate.ts';

export function duplicateRepository(store: Store): DuplicateRepository {
  return {
    async find(workspaceId, sha256) {
      const found = await store.read((snapshot) =>
        withItsCover(snapshot, itemsWithBytes(snapshot, workspaceId, sha256)),
      );
      // The caller discards a file in favour of this item, so the item must survive a power cut.
      if (found) await store.settled();
      return found;
    },

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

    prune: (before, limit) =>
      store.write((transaction) =>
        removeAliases(transaction, (aliases) => aliases.where('expires_at', '<=', before), limit),
      ),
  };
}
