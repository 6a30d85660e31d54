import { type MediaItem, tagKey, type Uuid } from '@postshelf/domain';
import type { Queries } from '../store/dialect.ts';
import type { MediaTagRow } from '../store/tables.ts';

/** In the order in which they were given. */
export const tagsOfItem = (queries: Queries, id: Uuid) =>
  queries.selectFrom('media_tags').select(['media_id', 'tag']).where('media_id', '=', id).orderBy('position');

export const findTags = async (queries: Queries, id: Uuid): Promise<readonly string[]> =>
  (await tagsOfItem(queries, id).execute()).map(({ tag }) => tag);

export const groupTags = (
  rows: readonly (readonly Pick<MediaTagRow, 'media_id' | 'tag'>[])[],
): ReadonlyMap<Uuid, readonly string[]> =>
  new Map(rows.flatMap((given) => (given[0] ? [[given[0].media_id, given.map(({ tag }) => tag)] as const] : [])));

export async function replaceTags(
  queries: Queries,
  { id, workspaceId }: MediaItem,
  tags: readonly string[],
): Promise<void> {
  await queries.deleteFrom('media_tags').where('media_id', '=', id).execute();
  if (tags.length === 0) return;
  const rows = tags.map((tag, position) => ({
    media_id: id,
    position,
    workspace_id: workspaceId,
    tag,
    tag_key: tagKey(tag),
  }));
  await queries.insertInto('media_tags').values(rows).execute();
}
