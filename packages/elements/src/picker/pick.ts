import { secondsOf } from '@postshelf/browser/media/media-facts.ts';
import type { MediaItem, PostshelfClient } from '@postshelf/client';
import type { PickedItem } from './picked-item.ts';

/** The items in the form that the page gets. @throws PostshelfError if missing details of an item can't be read */
export const pick = (client: PostshelfClient, items: readonly MediaItem[]): Promise<PickedItem[]> =>
  Promise.all(items.map(async (item) => pickedOf(await withDetails(client, item))));

/** Reads an item's details if they are missing, as in the item of a new upload. */
async function withDetails(client: PostshelfClient, item: MediaItem): Promise<MediaItem> {
  if (item.details) return item;
  return (await client.trpc.media.get.query({ id: item.id, include: 'details' })).data;
}

function pickedOf(item: MediaItem): PickedItem {
  const { id, name, link, size, width, height, time, details } = item;
  const kind = time === null ? 'image' : 'video';
  return {
    id,
    name,
    url: link,
    kind,
    type: details?.mime ?? kind,
    size: size ?? 0,
    width,
    height,
    duration: secondsOf(item),
    altText: details?.alt_text ?? null,
    previews: (details?.previews ?? []).map((preview) => ({
      url: preview.link,
      width: preview.width,
      height: preview.height,
    })),
  };
}
