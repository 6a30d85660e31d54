import { folderNameKey, type SystemFolders, type Uuid } from '@postshelf/domain';
import { folderToRow } from '../folders/folder-rows.ts';
import type { Queries } from '../store/dialect.ts';

export async function systemFoldersOf(
  queries: Queries,
  ids: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, readonly string[]>> {
  const names = new Map<Uuid, string[]>(ids.map((id) => [id, []]));
  if (ids.length === 0) return names;
  const rows = await queries
    .selectFrom('folders')
    .select(['workspace_id', 'name', 'created_at', 'id'])
    .where('is_system', '=', 1)
    .where('workspace_id', 'in', ids)
    .execute();
  const byAge = rows.toSorted((a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1));
  for (const row of byAge) names.get(row.workspace_id)?.push(row.name);
  return names;
}

/** Sets the system folders of a workspace. Must be called under the lock on the tree. */
export async function setSystemFolders(queries: Queries, id: Uuid, { folders, now }: SystemFolders): Promise<void> {
  const keys = folders.map(({ name }) => folderNameKey(name));
  const system = queries.selectFrom('folders').select(['id', 'name_key']).where('workspace_id', '=', id);
  const before = await system.where('is_system', '=', 1).execute();
  const ended = before.filter(({ name_key }) => !keys.includes(name_key)).map((row) => row.id);
  const mark = (ids: readonly Uuid[], is_system: 0 | 1) =>
    queries
      .updateTable('folders')
      .set(({ eb }) => ({ is_system, version: eb('version', '+', 1), updated_at: now }))
      .where('id', 'in', ids)
      .execute();
  if (ended.length > 0) await mark(ended, 0);
  for (const folder of folders) {
    const key = folderNameKey(folder.name);
    if (before.some(({ name_key }) => name_key === key)) continue;
    const twin = await system.where('parent_id', 'is', null).where('name_key', '=', key).executeTakeFirst();
    if (twin) await mark([twin.id], 1);
    else await queries.insertInto('folders').values(folderToRow(folder)).execute();
  }
}
