import { setImmediate } from 'node:timers/promises';
import {
  type Folder,
  type FolderRefusal,
  folderNameKey,
  MAX_FOLDER_DEPTH,
  refuseParent,
  type Uuid,
} from '@postshelf/domain';
import { sql } from 'kysely';
import type { Dialect, Queries } from '../store/dialect.ts';

/**
 * Why a folder can't have its parent and name; null if it can. Called under the lock on the tree.
 *
 * @param before null for a new folder; with the same parent only the name is checked
 */
export async function refusePlacement(
  queries: Queries,
  dialect: Dialect,
  folder: Folder,
  before: Folder | null,
): Promise<FolderRefusal | null> {
  const stays = before?.parentId === folder.parentId;
  const refusal = stays ? null : await refuseMove(queries, dialect, folder, before);
  return refusal ?? ((await hasTwin(queries, dialect, folder)) ? 'name_taken' : null);
}

async function refuseMove(
  queries: Queries,
  dialect: Dialect,
  { workspaceId, parentId }: Folder,
  before: Folder | null,
): Promise<FolderRefusal | null> {
  const isTree = before !== null && (await hasFolders(queries, workspaceId, before.id));
  const height = isTree ? await heightOf(queries, dialect, workspaceId, before.id) : 1;
  return refuseParentOf(queries, workspaceId, before?.id ?? null, parentId, height);
}

/**
 * @param folder null for a new one
 * @param height the number of its levels
 */
export async function refuseParentOf(
  queries: Queries,
  workspaceId: Uuid,
  folder: Uuid | null,
  parentId: Uuid | null,
  height: number,
): Promise<FolderRefusal | null> {
  const ancestors = parentId === null ? [] : await ancestorsOf(queries, workspaceId, parentId);
  return refuseParent(parentId, { folder, ancestors, height });
}

/** Ids from a folder up to its topmost ancestor. A limit ends the recursion even if a damaged tree has a cycle. */
async function ancestorsOf(queries: Queries, workspaceId: Uuid, id: Uuid): Promise<Uuid[]> {
  const rows = await queries
    .withRecursive('above(id, parent_id, steps)', (cte) =>
      cte
        .selectFrom('folders')
        .select((eb) => ['id', 'parent_id', eb.lit<number>(1).as('steps')])
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id)
        .unionAll((eb) =>
          eb
            .selectFrom('folders as parent')
            .innerJoin('above', 'above.parent_id', 'parent.id')
            .where('above.steps', '<=', MAX_FOLDER_DEPTH)
            .select((p) => ['parent.id', 'parent.parent_id', p('above.steps', '+', p.lit<number>(1)).as('steps')]),
        ),
    )
    .selectFrom('above')
    .select('id')
    .orderBy('steps')
    .execute();
  return rows.map((row) => row.id);
}

/** Some milliseconds of one statement. */
const PAGE = 1000;

/**
 * The number of levels from a folder down to its deepest descendant. Pauses between pages, as a large tree must not
 * hold up the thread.
 */
async function heightOf(queries: Queries, { noId }: Dialect, workspaceId: Uuid, id: Uuid): Promise<number> {
  const childrenOf = new Map<Uuid | null, Uuid[]>();
  for (let after: Uuid | undefined = noId; after !== undefined; ) {
    const page: { id: Uuid; parent_id: Uuid | null }[] = await queries
      .selectFrom('folder_counts as count')
      .innerJoin('folders as folder', 'folder.id', 'count.parent_id')
      .select(['folder.id', 'folder.parent_id'])
      .where('count.workspace_id', '=', workspaceId)
      .where('count.parent_id', '>', after)
      .where('count.folders', '>', 0)
      .orderBy('count.parent_id')
      .limit(PAGE)
      .execute();
    for (const { id: child, parent_id: parent } of page) {
      const siblings = childrenOf.get(parent);
      if (siblings) siblings.push(child);
      else childrenOf.set(parent, [child]);
    }
    after = page.length < PAGE ? undefined : page.at(-1)?.id;
    if (after !== undefined) await setImmediate();
  }
  // The limit ends this even if a damaged tree has a cycle.
  let height = 1;
  for (let level = [id]; level.length > 0 && height <= MAX_FOLDER_DEPTH; height += 1) {
    level = level.flatMap((folder) => childrenOf.get(folder) ?? []);
  }
  return height;
}

async function hasFolders(queries: Queries, workspaceId: Uuid, id: Uuid): Promise<boolean> {
  const counted = await queries
    .selectFrom('folder_counts')
    .select('folders')
    .where('workspace_id', '=', workspaceId)
    .where('parent_id', '=', id)
    .executeTakeFirst();
  return Number(counted?.folders ?? 0) > 0;
}

/** The condition repeats the expression of the siblings' index, so that the index is used. */
async function hasTwin(
  queries: Queries,
  { noId }: Dialect,
  { id, workspaceId, parentId, name }: Folder,
): Promise<boolean> {
  const twin = await queries
    .selectFrom('folders')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where(sql<string>`coalesce(parent_id, ${sql.lit(noId)})`, '=', parentId ?? noId)
    .where('name_key', '=', folderNameKey(name))
    .where('id', '<>', id)
    .executeTakeFirst();
  return twin !== undefined;
}
