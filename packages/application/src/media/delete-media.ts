import { type ExpectedVersions, invalid, type MediaItem, notFound, parseUuid } from '@postshelf/domain';
import type { Ports, Settings } from '../ports.ts';
import { refuseCover } from './update-media.ts';

/**
 * Deletes an item, its cover and their previews. Recorded deletions replace the rows, and the {@link FenceKeeper}
 * destroys the objects soon after; those that readers reach without a row go to the trash until then.
 *
 * @param onLeftOver called for an object that can't be moved there
 * @throws Refusal `not_found` if another request deleted it first, `changed`, `invalid` on `media_content` while a post
 * uses it, on `id` for a cover
 */
export async function deleteMedia(
  ports: Pick<Ports, 'media' | 'trash' | 'previewStorage' | 'clock'> & Pick<Settings, 'isPublic'>,
  item: MediaItem,
  onLeftOver: (fullName: string, cause: unknown) => void,
  expected?: ExpectedVersions,
): Promise<void> {
  refuseCover(item);
  const now = ports.clock.now();
  const fullNames = await ports.media.remove(item.id, now, expected);
  if (fullNames === null) throw notFound();
  if (fullNames === 'in_use') throw invalid('media_content', 'The media item is used by a post.');
  for (const fullName of fullNames) {
    const leftOver = (cause: unknown): void => onLeftOver(fullName, cause);
    if (ports.isPublic) await ports.trash.add(fullName, now).catch(leftOver);
    if (item.status === 'active') await removePreviews(ports, fullName).catch(leftOver);
  }
}

async function removePreviews({ previewStorage }: Pick<Ports, 'previewStorage'>, fullName: string): Promise<void> {
  const [workspaceId, id] = fullName.split('/').map(parseUuid);
  if (workspaceId && id) await previewStorage.remove({ workspaceId, id });
}
