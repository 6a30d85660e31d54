import { type MediaItem, type Operations, PostshelfError } from '@postshelf/client';
import { useQuery } from '@tanstack/react-query';
import { client, queryClient, trpc } from '../../service/service.ts';
import { signed } from '../../service/signed.ts';

type MediaPage = Operations['media']['list']['output'];

const WITH = { include: 'details,usage' } as const;

const itemQuery = (id: string) => signed(trpc.media.get.queryOptions({ id, ...WITH }));

/** Queries an item with all its details. */
export const useItem = (id: string | null, isEnabled = true) =>
  useQuery({
    ...itemQuery(id ?? ''),
    enabled: id !== null && isEnabled,
    placeholderData: () => (id === null ? undefined : listed(id)),
  });

/**
 * Returns the item from a cached list, so that it opens immediately. It is complete except for the information about
 * which posts use it.
 */
function listed(id: string) {
  const lists = queryClient.getQueriesData<MediaPage>({ queryKey: trpc.media.list.pathKey() });
  const found = lists.flatMap(([, page]) => page?.data ?? []).find((one) => one.id === id && one.details);
  if (!found?.details) return undefined;
  const { details, usage: _, ...item } = found;
  // Lists don't contain versions. No item has version 0, so the first change fails, and `changeItem` reads the item and
  // retries.
  return { data: { ...item, details }, version: 0 };
}

export interface SeenItem {
  readonly item: MediaItem;
  readonly version: number;
}

type ItemChange = Omit<Operations['media']['update']['input'], 'id' | 'if_match'>;

/**
 * Changes an item. If another user has changed it since it was shown, the item is read again, and the change is made to
 * the new version.
 *
 * @param changeOf returns the change, or null if there is none
 * @returns whether it was changed
 */
export async function changeItem(
  { item, version }: SeenItem,
  changeOf: (item: MediaItem) => ItemChange | null,
): Promise<boolean> {
  const { id } = item;
  const change = changeOf(item);
  if (change === null) return false;
  try {
    await client.trpc.media.update.mutate({ id, ...change, if_match: version });
    return true;
  } catch (error) {
    if (!(error instanceof PostshelfError) || error.status !== 412) throw error;
    const now = await queryClient.fetchQuery({ ...itemQuery(id), staleTime: 0 });
    return changeItem({ item: now.data, version: now.version }, changeOf);
  }
}

/** Refreshes everything that shows a changed item. Resolves when the item itself has been read again. */
export async function refreshItem(id: string): Promise<void> {
  void queryClient.invalidateQueries({ queryKey: trpc.media.list.pathKey() });
  await queryClient.invalidateQueries({ queryKey: itemQuery(id).queryKey });
}
