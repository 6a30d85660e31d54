import {
  type Folder,
  type FolderRefusal,
  folderNameKey,
  MAX_FOLDER_DEPTH,
  refuseParent,
  type Uuid,
} from '@postshelf/domain';
import { type SqlBool, sql } from 'kysely';
import type { Dialect, Queries } from '../store/dialect.ts';

/**
 * Returns why a folder can't have its parent and name; null if it can. Must be called under the lock on the tree.
 *
 * @param before the folder as it is stored, or null for a new folder; if the parent stays the same, only the name is
 *   checked
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
  const height = before === null ? 1 : await heightOf(queries, dialect, workspaceId, before.id);
  return refuseParentOf(queries, workspaceId, before?.id ?? null, parentId, height);
}

/**
 * Returns why a folder can't have this parent; null if it can.
 *
 * @param folder null for a new one
 * @param height the number of levels from the folder down to its deepest descendant
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

/**
 * Returns the ids from a folder up to its topmost ancestor. A limit ends the recursion even if a damaged tree has a
 * cycle.
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

/** Maximum number of folders that one statement reads. It takes a millisecond or two. */
const PAGE = 500;

interface Parent {
  readonly id: Uuid;
  /** Number of folders directly within this parent. */
  readonly folders: number;
}

/**
 * Returns the number of levels from a folder down to its deepest descendant. Reads only the tree below the folder. It
 * is read in pages, so that the thread can do other work in between.
 */
async function heightOf(queries: Queries, dialect: Dialect, workspaceId: Uuid, id: Uuid): Promise<number> {
  let height = 1;
  let level = await parentsAmong(queries, workspaceId, [id]);
  // The limit ends the loop even if a damaged tree has a cycle.
  for (; level.length > 0 && height <= MAX_FOLDER_DEPTH; height += 1) {
    const below: Parent[] = [];
    for (const parents of pagesOf(level)) {
      for await (const ids of foldersIn(queries, dialect, workspaceId, parents)) {
        below.push(...(await parentsAmong(queries, workspaceId, ids)));
      }
    }
    level = below;
  }
  return height;
}

/**
 * Groups parents so that the folders of each group fit in one page; a parent with more folders than that gets its own
 * group.
 */
function* pagesOf(parents: readonly Parent[]): Generator<readonly Uuid[], void> {
  let page: Uuid[] = [];
  let size = 0;
  for (const { id, folders } of parents) {
    if (page.length > 0 && size + folders > PAGE) {
      yield page;
      page = [];
      size = 0;
    }
    page.push(id);
    size += folders;
  }
  if (page.length > 0) yield page;
}

/** Yields the ids of the folders directly within the parents, page by page. */
async function* foldersIn(
  queries: Queries,
  { typedId }: Dialect,
  workspaceId: Uuid,
  parents: readonly Uuid[],
): AsyncGenerator<readonly Uuid[], void> {
  let folders = queries.selectFrom('folders').select(['id', 'updated_at']).where('workspace_id', '=', workspaceId);
  folders = folders.where('parent_id', 'in', parents);
  // The folders of a single parent are read page by page, in the order of the index. The folders of several parents fit
  // in one page, so they needn't be ordered, which would take a sort.
  if (parents.length === 1) folders = folders.orderBy('updated_at', 'desc').orderBy('id', 'desc').limit(PAGE);
  for (let page = folders; ; ) {
    const rows = await page.execute();
    if (rows.length > 0) yield rows.map(({ id }) => id);
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE || parents.length > 1) return;
    page = folders.where(sql<SqlBool>`(updated_at, id) < (${last.updated_at}, ${typedId(last.id)})`);
  }
}

/** Returns those of the given folders that contain folders. */
export async function parentsAmong(queries: Queries, workspaceId: Uuid, ids: readonly Uuid[]): Promise<Parent[]> {
  const counts = queries.selectFrom('folder_counts').select(['parent_id as id', 'folders']);
  const rows = await counts
    .where('workspace_id', '=', workspaceId)
    .where('parent_id', 'in', ids)
    .where('folders', '>', 0)
    .execute();
  return rows.map(({ id, folders }) => ({ id, folders: Number(folders) }));
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
