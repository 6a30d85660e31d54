import { type MediaItem, tagKey, type Uuid } from '@postshelf/domain';
import type { Queries } from '../store/store.ts';

/** The tags of each item that has any, in the order in which they were given. */
export async function findTags(queries: Queries, ids: readonly Uuid[]): Promise<ReadonlyMap<Uuid, readonly string[]>> {
  const tags = new Map<Uuid, string[]>();
  if (ids.length === 0) return tags;
  const rows = await queries
    .selectFrom('media_tags')
    .select(['media_id', 'tag'])
    .where('media_id', 'in', ids)
    .orderBy('media_id')
    .orderBy('position')
    .execute();
  for (const { media_id, tag } of rows) {
    const given = tags.get(media_id);
    if (given) given.push(tag);
    else tags.set(media_id, [tag]);
  }
  return tags;
}

/** Replaces the tags of an item that the transaction has locked. */
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
