import { plainLink } from '@postshelf/browser/links/signed-links.ts';
import { secondsOf } from '@postshelf/browser/media/media-facts.ts';
import type { MediaItem } from '@postshelf/client';
import type { PickedItem } from './picked-item.ts';
import type { PickerSession } from './picker-session.ts';

/**
 * Converts items to the form that the page receives.
 *
 * @throws PostshelfError if missing details of an item can't be read
 */
export const pick = (
  session: Pick<PickerSession, 'client' | 'links'>,
  items: readonly MediaItem[],
): Promise<PickedItem[]> => Promise.all(items.map(async (item) => pickedOf(await withDetails(session, item))));

/** Reads an item's details if they are missing, as for a new upload. */
async function withDetails(
  { client, links }: Pick<PickerSession, 'client' | 'links'>,
  item: MediaItem,
): Promise<MediaItem> {
  if (item.details) return item;
  const read = async () => [(await client.trpc.media.get.query({ id: item.id, include: 'details' })).data];
  return (await links.sign(read))[0] ?? item;
}

function pickedOf(item: MediaItem): PickedItem {
  const { id, name, link, size, width, height, time, details } = item;
  const kind = time === null ? 'image' : 'video';
  return {
    id,
    name,
    url: plainLink(link),
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
