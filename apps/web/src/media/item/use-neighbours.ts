import { useQueryClient } from '@tanstack/react-query';
import { trpc } from '../../service/service.ts';

export interface Neighbours {
  readonly previous: string | null;
  readonly next: string | null;
}

interface Listed {
  readonly data: readonly { readonly id: string }[];
}

/** The items before and behind one in a list; null where there is none, or the item isn't in it. */
export function neighboursOf(id: string, ids: readonly string[]): Neighbours {
  const at = ids.indexOf(id);
  if (at === -1) return { previous: null, next: null };
  return { previous: ids[at - 1] ?? null, next: ids[at + 1] ?? null };
}

/** Those of the list that the library shows behind the item, as far as it has been read. */
export function useNeighbours(id: string): Neighbours {
  const cache = useQueryClient().getQueryCache();
  const lists = cache.findAll({ queryKey: trpc.media.list.pathKey(), type: 'active' });
  for (const { state } of lists) {
    const found = neighboursOf(
      id,
      pagesOf(state.data).flatMap(({ data }) => data.map((item) => item.id)),
    );
    if (found.previous !== null || found.next !== null) return found;
  }
  return { previous: null, next: null };
}

/** A page, or all that were read one after another. */
function pagesOf(data: unknown): readonly Listed[] {
  if (typeof data !== 'object' || data === null) return [];
  if ('pages' in data) return data.pages as readonly Listed[];
  return 'data' in data ? [data as Listed] : [];
}
