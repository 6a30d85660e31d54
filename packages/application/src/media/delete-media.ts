import { invalid, type MediaItem, notFound, parseUuid } from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import { refuseCover } from './update-media.ts';

/**
 * Deletes an item, its cover and their previews: the rows first, so that no row refers to a missing object, even after
 * a kill. An object that can't be removed then no longer has a row: `onLeftOver` is called, and the next
 * {@link collectGarbage} removes it.
 *
 * @throws Refusal `not_found` if another request deleted it first, `invalid` on `media_content` while a post uses it,
 *   on `id` for a cover
 */
export async function deleteMedia(
  ports: Pick<Ports, 'media' | 'storage' | 'presignStorage' | 'previewStorage'>,
  item: MediaItem,
  onLeftOver: (fullName: string, cause: unknown) => void,
): Promise<void> {
  refuseCover(item);
  const fullNames = await ports.media.remove(item.id);
  if (fullNames === null) throw notFound();
  if (fullNames === 'in_use') throw invalid('media_content', 'The media item is used by a post.');
  if (item.status === 'temporary')
    await ports.presignStorage.remove(item.id).catch((cause: unknown) => onLeftOver(item.fullName, cause));
  for (const fullName of fullNames) {
    await ports.storage.remove(fullName).catch((cause: unknown) => onLeftOver(fullName, cause));
    if (item.status === 'active') {
      await removePreviews(ports, fullName).catch((cause: unknown) => onLeftOver(fullName, cause));
    }
  }
}

async function removePreviews({ previewStorage }: Pick<Ports, 'previewStorage'>, fullName: string): Promise<void> {
  const [workspaceId, id] = fullName.split('/').map(parseUuid);
  if (workspaceId && id) await previewStorage.remove({ workspaceId, id });
}
