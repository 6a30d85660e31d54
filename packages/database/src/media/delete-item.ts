import {
  type ExpectedVersions,
  type MediaWithCover,
  requireVersion,
  type Uuid,
  versionOfMedia,
} from '@postshelf/domain';
import type { Queries } from '../store/dialect.ts';
import { lockItem } from '../store/row-locks.ts';
import type { MediaRow } from '../store/tables.ts';
import { withCover } from './media-rows.ts';
import { removeAliases } from './write-items.ts';

export const itemAndCover = (queries: Queries, id: Uuid) =>
  queries
    .selectFrom('media')
    .selectAll()
    .where((eb) => eb.or([eb('id', '=', id), eb('cover_of', '=', id)]));

export async function lockAndPick(queries: Queries, id: Uuid): Promise<MediaWithCover | null> {
  if (!(await lockItem(queries, id))) return null;
  return pick(await itemAndCover(queries, id).execute(), id);
}

export function pick(rows: readonly MediaRow[], id: Uuid): MediaWithCover | null {
  const row = rows.find((candidate) => candidate.id === id);
  const coverRow = rows.find((candidate) => candidate.cover_of === id);
  return row ? withCover(row, coverRow) : null;
}

/** Locks an item that is to be deleted. Returns `in_use` if a post uses it. @throws Refusal `changed` */
export async function lockToDelete(
  queries: Queries,
  id: Uuid,
  expected: ExpectedVersions | undefined,
): Promise<MediaWithCover | 'in_use' | null> {
  const found = await lockAndPick(queries, id);
  if (found === null) return null;
  requireVersion(versionOfMedia(found), expected);
  return (await isInUse(queries, id)) ? 'in_use' : found;
}

/** Deletes the rows of the item and its cover. @returns their full names */
export async function deleteItem(queries: Queries, { item, cover }: MediaWithCover): Promise<readonly string[]> {
  const { id } = item;
  // There may be any number of aliases, so they are deleted in blocks. Otherwise, the database would delete all of them
  // in the statement that deletes the item.
  while ((await removeAliases(queries, (aliases) => aliases.where('media_id', '=', id))) > 0);
  await queries
    .deleteFrom('media')
    .where((eb) => eb.or([eb('id', '=', id), eb('cover_of', '=', id)]))
    .execute();
  return [item, cover].flatMap((gone) => gone?.fullName ?? []);
}

/** Whether a post uses the item; a cover can't be attached to posts. */
async function isInUse(queries: Queries, id: Uuid): Promise<boolean> {
  const use = await queries
    .selectFrom('post_media')
    .select('post_id')
    .where('media_id', '=', id)
    .limit(1)
    .executeTakeFirst();
  return use !== undefined;
}
