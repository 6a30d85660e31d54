import {
  type ExpectedVersions,
  type FieldErrors,
  invalid,
  isCover,
  MAX_TAGS,
  type MediaChange,
  type MediaItem,
  nameFromInput,
  notFound,
  problemOfRename,
  Refusal,
  type UpdatedMedia,
  untypedName,
} from '@postshelf/domain';
import { folderErrors, noSuchFolder } from '../folders/check-references.ts';
import type { Ports } from '../ports.ts';

/**
 * Returns the errors in a change of an item, so that a response can name all failing fields. Malformed fields are
 * skipped, because the schema check reports them.
 */
export async function changeErrors(
  ports: Pick<Ports, 'folders'>,
  item: MediaItem,
  { name, folder_id }: { readonly name?: unknown; readonly folder_id?: unknown },
): Promise<FieldErrors> {
  const problem = typeof name === 'string' ? problemOfRename(name, item.name) : null;
  return {
    ...(problem !== null && { name: [`The name field ${problem}`] }),
    ...(await folderErrors(ports, item.workspaceId, 'folder_id', folder_id)),
  };
}

/**
 * Renames, labels, tags or moves an item; absent fields stay unchanged. `full_name` and `link` also stay unchanged:
 * they are final once the item is `active` (docs/api.md, "Media items").
 *
 * @throws Refusal `not_found` if it was deleted meanwhile, `changed`, `invalid` on `name`, on `folder_id`, on `tags` if
 *   there would be too many, or on `id` for a cover
 */
export async function updateMedia(
  ports: Pick<Ports, 'media' | 'folders' | 'clock'>,
  item: MediaItem,
  change: MediaChange,
  expected?: ExpectedVersions,
): Promise<UpdatedMedia> {
  refuseCover(item);
  const { name, ...rest } = change;
  if (name !== undefined && problemOfRename(name, item.name) !== null)
    throw new Refusal({ code: 'invalid', errors: await changeErrors(ports, item, { name, folder_id: rest.folderId }) });
  const renamed =
    name === undefined
      ? rest
      : { ...rest, name: item.status === 'active' ? nameFromInput(name, item.content.type) : untypedName(name) };
  const updated = await ports.media.update(item.id, renamed, ports.clock.now(), expected);
  if (updated === null) throw notFound();
  if (updated === 'folder_missing') throw noSuchFolder('folder_id');
  if (updated === 'too_many_tags') throw invalid('tags', `The media item would have more than ${MAX_TAGS} tags.`);
  // The item's import ended meanwhile, so its extension is known now.
  const becameActive = item.status !== 'active' && updated.item.status === 'active';
  return name !== undefined && becameActive ? updateMedia(ports, updated.item, { name }) : updated;
}

/** Refuses to change a cover: it belongs to its video and can't be renamed, moved or deleted separately. */
export function refuseCover(item: MediaItem): void {
  if (isCover(item)) throw invalid('id', 'The media item is the cover of a video and cannot be changed separately.');
}
