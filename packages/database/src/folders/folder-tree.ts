import {
  type Folder,
  type FolderRefusal,
  folderNameKey,
  MAX_FOLDER_DEPTH,
  refuseParent,
  type Uuid,
} from '@postshelf/domain';
import { sql } from 'kysely';
import type { Dialect, Queries } from '../store/store.ts';

/**
 * Why a folder can't have its parent and name; null if it can. Called within the transaction that writes the folder,
 * under the lock on the workspace's folder tree.
 *
 * @param before the stored folder; null for a new one. If the parent doesn't change, only the name is checked
 */
export async function refusePlacement(
  queries: Queries,
  dialect: Dialect,
  folder: Folder,
  before: Folder | null,
): Promise<FolderRefusal | null> {
  const stays = before?.parentId === folder.parentId;
  const refusal = stays ? null : await refuseParentOf(queries, folder.workspaceId, before?.id ?? null, folder.parentId);
  return refusal ?? ((await hasTwin(queries, dialect, folder)) ? 'name_taken' : null);
}

/** Like {@link refusePlacement}, but checks only the parent. `folder` is null for a new one. */
export async function refuseParentOf(
  queries: Queries,
  workspaceId: Uuid,
  folder: Uuid | null,
  parentId: Uuid | null,
): Promise<FolderRefusal | null> {
  const ancestors = parentId === null ? [] : await ancestorsOf(queries, workspaceId, parentId);
  const height = folder === null ? 1 : await heightOf(queries, workspaceId, folder);
  return refuseParent(parentId, { folder, ancestors, height });
}

/**
 * Ids from a folder up to its topmost ancestor, itself first; empty if the workspace has no such folder.
 *
 * Here and in `heightOf`, a limit on the steps ends the recursion even if a damaged tree has a cycle.
 */
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

/** The number of levels from a folder down to its deepest descendant, its own included. */
async function heightOf(queries: Queries, workspaceId: Uuid, id: Uuid): Promise<number> {
  const { height } = await queries
    .withRecursive('below(id, level)', (cte) =>
      cte
        .selectFrom('folders')
        .select((eb) => ['id', eb.lit<number>(1).as('level')])
        .where('id', '=', id)
        .unionAll((eb) =>
          eb
            .selectFrom('folders as child')
            .innerJoin('below', 'below.id', 'child.parent_id')
            .where('child.workspace_id', '=', workspaceId)
            .where('below.level', '<=', MAX_FOLDER_DEPTH)
            .select((c) => ['child.id', c('below.level', '+', c.lit<number>(1)).as('level')]),
        ),
    )
    .selectFrom('below')
    .select((eb) => eb.fn.max('level').as('height'))
    .executeTakeFirstOrThrow();
  return Number(height);
}

/**
 * Whether a sibling has the same name. The condition repeats the expression of the siblings' index, so that the index
 * is used.
 */
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
