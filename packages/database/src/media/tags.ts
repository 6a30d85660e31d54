import { MAX_LISTED_TAGS, type MediaItem, type Rows, type Slice, tagKey, type Uuid } from '@postshelf/domain';
import { sql } from 'kysely';
import type { Queries } from '../store/dialect.ts';
import type { Scan } from '../store/store.ts';
import type { MediaTagRow } from '../store/tables.ts';

/** Selects an item's tags in the order in which they were given. */
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

/** Lists tags by jumping in the index from one tag to the next, past the items of each. */
export const listTags: Scan<[Uuid, Slice], Rows<string>> = {
  name: 'listTags',
  run: ({ read }, workspaceId, { offset, limit }) =>
    read(async (queries) => {
      const next = (from: 'first' | 'further') => sql`(
        select tag_key from media_tags
        where workspace_id = ${workspaceId} ${from === 'first' ? sql`` : sql`and tag_key > keys.tag_key`}
        order by tag_key limit 1)`;
      const { rows } = await sql<{ tag: string | null; total: number | string }>`
        with recursive keys (tag_key, number) as (
          select ${next('first')}, 1
          union all
          select ${next('further')}, number + 1 from keys where tag_key is not null and number < ${MAX_LISTED_TAGS}
        ), page as (
          select tag_key, number from keys where tag_key is not null and number > cast(${offset} as bigint) order by number limit ${limit}
        )
        select (
          select tag from media_tags
          where workspace_id = ${workspaceId} and media_tags.tag_key = page.tag_key order by media_id limit 1
        ) as tag, (select count(*) from keys where tag_key is not null) as total
        from (select 1 as one) as always left join page on true order by page.number`.execute(queries);
      return { items: rows.flatMap(({ tag }) => tag ?? []), total: Number(rows[0]?.total ?? 0) };
    }),
};
