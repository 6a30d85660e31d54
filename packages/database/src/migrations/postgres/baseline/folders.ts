import { NO_FOLDER, statementTriggers, triggerFunction } from './triggers.ts';

const PARENT = `workspace_id, coalesce(parent_id, ${NO_FOLDER})`;
const ADD = `on conflict (workspace_id, parent_id) do update set folders = folder_counts.folders + excluded.folders`;
const MOVED = `select w, p, sum(n) from (
            select ${PARENT}, 1 from added union all select ${PARENT}, -1 from gone
          ) as moved (w, p, n) group by 1, 2`;

export const FOLDER_COUNTS_FORGET =
  'create trigger folder_counts_forget after delete on workspaces for each row execute function folder_counts_forget()';

/** Folders, and the number of folders in each. */
export const FOLDERS = [
  // The keys ensure that a parent is in the same workspace, that siblings have different names, and that only empty
  // folders are deleted.
  `create table folders (
    id uuid primary key,
    workspace_id uuid not null references workspaces (id),
    parent_id uuid check (parent_id <> id),
    name text not null,
    name_key text collate "C" not null,
    is_system smallint not null check (is_system in (0, 1)),
    created_at bigint not null,
    updated_at bigint not null,
    version integer not null default 1,
    unique (workspace_id, id),
    foreign key (workspace_id, parent_id) references folders (workspace_id, id) on delete restrict
  )`,
  `create unique index folders_siblings on folders (workspace_id, coalesce(parent_id, ${NO_FOLDER}), name_key)`,
  'create index folders_latest on folders (workspace_id, updated_at desc, id desc)',
  // There are two indexes, because with a condition "is null" on the first column PostgreSQL doesn't read an index in
  // the order of the other columns.
  `create index folders_children on folders (workspace_id, parent_id, updated_at desc, id desc)
    where parent_id is not null`,
  'create index folders_at_top on folders (workspace_id, updated_at desc, id desc) where parent_id is null',
  'create index folders_system on folders (workspace_id) where is_system = 1',

  // The number of folders directly in each folder; the root's `parent_id` is zeros. A transaction that writes folders
  // holds the lock of their workspace.
  `create table folder_counts (
    workspace_id uuid not null,
    parent_id uuid not null,
    folders bigint not null check (folders >= 0),
    primary key (workspace_id, parent_id)
  ) with (fillfactor = 50)`,
  triggerFunction(
    'folder_counts_add',
    `if tg_op = 'INSERT' then
        insert into folder_counts
        select ${PARENT}, count(*) from added group by 1, 2 order by 1, 2
        ${ADD};
      elsif tg_op = 'DELETE' then
        update folder_counts set folders = folders - g.n
        from (select ${PARENT}, count(*) from gone group by 1, 2) as g (w, p, n)
        where (workspace_id, parent_id) = (g.w, g.p);
        -- A folder is empty when it is deleted, so its own count is 0.
        delete from folder_counts using gone
        where folder_counts.workspace_id = gone.workspace_id and folder_counts.parent_id = gone.id;
      else
        update folder_counts set folders = folders + g.n
        from (${MOVED} having sum(n) < 0) as g (w, p, n)
        where (workspace_id, parent_id) = (g.w, g.p);
        insert into folder_counts
        ${MOVED} having sum(n) > 0 order by 1, 2
        ${ADD};
      end if;
      return null;`,
  ),
  ...statementTriggers(
    ['folder_counts_insert', 'folder_counts_delete', 'folder_counts_update'],
    'folders',
    'folder_counts_add()',
  ),
  triggerFunction('folder_counts_forget', 'delete from folder_counts where workspace_id = old.id;\n      return null;'),
  FOLDER_COUNTS_FORGET,
];
