import type { Folder } from './folder-rows.ts';

/** What is in a folder and in those in it. */
export interface FolderTotal {
  readonly media: number;
  /** The folder itself, or one in it, that has media directly in it; null if none has. */
  readonly filled: string | null;
}

/** The numbers of media in each of all folders and in those in it, by the folders' ids. */
export function sumTotals(folders: readonly Folder[]): ReadonlyMap<string, FolderTotal> {
  const parents = new Map(folders.map(({ id, parent_id }) => [id, parent_id]));
  const totals = new Map<string, FolderTotal>(folders.map(({ id }) => [id, { media: 0, filled: null }]));
  for (const { id, counts } of folders) {
    const own = counts?.media ?? 0;
    if (own === 0) continue;
    const seen = new Set<string>();
    // Lists that were read while folders were moved could have a circle.
    for (let at: string | null | undefined = id; at && !seen.has(at); at = parents.get(at)) {
      const total = totals.get(at);
      if (!total) break;
      seen.add(at);
      totals.set(at, { media: total.media + own, filled: at === id ? id : (total.filled ?? id) });
    }
  }
  return totals;
}
