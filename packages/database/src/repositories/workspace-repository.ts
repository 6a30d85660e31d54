import type { Workspace, WorkspaceRepository } from '@postshelf/domain';
import { compileOnce, PARAMETER } from './compiled.ts';
import { folderToRow } from './folder-rows.ts';
import type { Store } from './store.ts';
import type { WorkspaceRow } from './tables.ts';

const fromRow = (row: WorkspaceRow): Workspace => ({
  id: row.id,
  name: row.name,
  timezone: row.timezone,
  createdAt: row.created_at,
});

export function workspaceRepository(store: Store): WorkspaceRepository {
  const rowOf = compileOnce(store, store.reads.selectFrom('workspaces').selectAll().where('id', '=', PARAMETER));

  return {
    insert: (workspace, systemFolders) =>
      store.transact(async (transaction) => {
        const { id, name, timezone, createdAt } = workspace;
        await transaction.insertInto('workspaces').values({ id, name, timezone, created_at: createdAt }).execute();
        for (const folder of systemFolders) {
          await transaction.insertInto('folders').values(folderToRow(folder)).execute();
        }
      }),

    async find(id) {
      const [row] = await rowOf(id);
      return row ? fromRow(row) : null;
    },

    async list() {
      const rows = await store.reads.selectFrom('workspaces').selectAll().orderBy('created_at').orderBy('id').execute();
      return rows.map(fromRow);
    },
  };
}
