import { type PreviewKey, type PreviewStorage, parsePreviewPath, parseUuid, previewPath } from '@postshelf/domain';

/** Stores previews in memory. */
export function memoryPreviews(): PreviewStorage {
  const kept = new Map<string, Uint8Array<ArrayBuffer>>();
  return {
    async open(key) {
      const bytes = kept.get(pathOf(key));
      if (!bytes) return null;
      const whole = new Blob([bytes]);
      return { size: bytes.length, body: (range) => (range ? whole.slice(range.start, range.end + 1) : whole) };
    },

    async put(key, bytes) {
      kept.set(pathOf(key), new Uint8Array(bytes));
    },

    async purge({ workspaceId, id }) {
      for (const one of id === undefined ? [workspaceId] : [workspaceId, id]) {
        if (parseUuid(one) !== one) throw new Error('Not a folder of previews.');
      }
      const folder = id === undefined ? `${workspaceId}/` : `${workspaceId}/${id}/`;
      for (const path of kept.keys()) if (path.startsWith(folder)) kept.delete(path);
    },

    async *list() {
      for (const [path, bytes] of kept) {
        const key = parsePreviewPath(path);
        if (key) yield { ...key, size: bytes.length };
      }
    },
  };
}

function pathOf(key: PreviewKey): string {
  const path = previewPath(key);
  if (parsePreviewPath(path) === null) throw new Error('Not the key of a preview.');
  return path;
}
