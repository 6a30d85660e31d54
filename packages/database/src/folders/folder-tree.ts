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
 * Why a folder can't be where it would be with this parent and name; null when it can. Read within the transaction that
 * puts it there, under the lock of the workspace's folders.
 *
 * @param before the folder as it is; null for a new one. If its parent stays, the folders below it aren't checked
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

/** The same for the parent alone, whatever the folder's name. `folder` is null for a new one. */
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
 * Ids from a folder of the workspace up to the top, itself first; empty when the workspace has no such folder.
 *
 * Here and below, a bound on the steps ends the walk even in a damaged tree.
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

/** Levels of a folder and everything below it. */
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

/** Whether a sibling has the same name; by the expression of the siblings' index. */
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
