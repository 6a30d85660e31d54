import type { Folder } from './folder-rows.ts';

/** The contents of a folder and its descendants. */
export interface FolderTotal {
  readonly media: number;
  /** The folder itself or a descendant that directly contains media; null if there is none. */
  readonly filled: string | null;
}

/** Counts the media in each folder and its descendants, by folder id. */
export function sumTotals(folders: readonly Folder[]): ReadonlyMap<string, FolderTotal> {
  const parents = new Map(folders.map(({ id, parent_id }) => [id, parent_id]));
  const totals = new Map<string, FolderTotal>(folders.map(({ id }) => [id, { media: 0, filled: null }]));
  for (const { id, counts } of folders) {
    const own = counts?.media ?? 0;
    if (own === 0) continue;
    const seen = new Set<string>();
    // Lists that were read while folders were moved may contain a cycle.
    for (let at: string | null | undefined = id; at && !seen.has(at); at = parents.get(at)) {
      const total = totals.get(at);
      if (!total) break;
      seen.add(at);
      totals.set(at, { media: total.media + own, filled: at === id ? id : (total.filled ?? id) });
    }
  }
  return totals;
}
