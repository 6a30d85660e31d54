import { type ExpectedVersions, invalid, type MediaItem, notFound, parseUuid } from '@postshelf/domain';
import type { Ports, Settings } from '../ports.ts';
import { hideTrashed } from '../trash/trash.ts';
import { refuseCover } from './update-media.ts';

/**
 * Deletes an item, its cover and their previews. For `undoTime`, an active item can be restored: its objects stay in
 * the storage, but are hidden from readers who access the storage directly. Any other item is removed, its deletion is
 * recorded, and the {@link FenceKeeper} purges its objects soon after. Until then, objects that readers could access
 * directly are moved to the storage's trash.
 *
 * @param onLeftOver called for an object that can't be hidden or moved
 * @throws Refusal `not_found` if another request deleted it first; `changed`; `invalid` on `media_content` while a post
 *   uses it; `invalid` on `id` for a cover
 */
export async function deleteMedia(
  ports: Pick<Ports, 'media' | 'trashed' | 'storage' | 'trash' | 'previewStorage' | 'clock'> &
    Pick<Settings, 'isPublic' | 'undoTime'>,
  item: MediaItem,
  onLeftOver: (fullName: string, cause: unknown) => void,
  expected?: ExpectedVersions,
): Promise<void> {
  refuseCover(item);
  const now = ports.clock.now();
  const kept = ports.undoTime > 0 ? await ports.trashed.add(item.id, now, expected) : 'not_active';
  const fullNames = kept === 'not_active' ? await ports.media.delete(item.id, now, expected) : kept;
  if (fullNames === null) throw notFound();
  if (fullNames === 'in_use') throw invalid('media_content', 'The media item is used by a post.');
  for (const fullName of fullNames) {
    const leftOver = (cause: unknown): void => onLeftOver(fullName, cause);
    if (ports.isPublic) {
      const leave = kept === 'not_active' ? ports.trash.add(fullName, now) : hideTrashed(ports, [fullName]);
      await leave.catch(leftOver);
    }
    if (item.status === 'active') await purgePreviews(ports, fullName).catch(leftOver);
  }
}

/**
 * Hides the object of a replaced cover and purges its previews, as {@link deleteMedia} does. The cover's deletion is
 * already recorded.
 *
 * @param deletedAt the time of the recorded deletion, by which the {@link FenceKeeper} finds the object in the trash
 */
export async function removeReplaced(
  ports: Pick<Ports, 'trash' | 'previewStorage'> & Pick<Settings, 'isPublic'>,
  { fullName }: Pick<MediaItem, 'fullName'>,
  deletedAt: number,
  onLeftOver: (fullName: string, cause: unknown) => void,
): Promise<void> {
  const leftOver = (cause: unknown): void => onLeftOver(fullName, cause);
  if (ports.isPublic) await ports.trash.add(fullName, deletedAt).catch(leftOver);
  await purgePreviews(ports, fullName).catch(leftOver);
}

async function purgePreviews({ previewStorage }: Pick<Ports, 'previewStorage'>, fullName: string): Promise<void> {
  const [workspaceId, id] = fullName.split('/').map(parseUuid);
  if (workspaceId && id) await previewStorage.purge({ workspaceId, id });
}
