const ADD = `insert into folder_counts values (new.workspace_id, coalesce(new.parent_id, ''), 1)
    on conflict do update set folders = folders + 1;`;
const SUBTRACT = `update folder_counts set folders = folders - 1
    where workspace_id = old.workspace_id and parent_id = coalesce(old.parent_id, '');`;

export const FOLDER_COUNTS_FORGET = `create trigger folder_counts_forget after delete on workspaces begin
    delete from folder_counts where workspace_id = old.id;
  end`;

/** Folders, and the number of folders in each. */
export const FOLDERS = [
  // The keys ensure that a parent is in the same workspace, that siblings have different names, and that only empty
  // folders are deleted.
  `create table folders (
    id text primary key,
    workspace_id text not null references workspaces (id),
    parent_id text check (parent_id <> id),
    name text not null,
    name_key text not null,
    is_system integer not null check (is_system in (0, 1)),
    created_at integer not null,
    updated_at integer not null,
    version integer not null default 1,
    unique (workspace_id, id),
    foreign key (workspace_id, parent_id) references folders (workspace_id, id) on delete restrict
  ) strict`,
  `create unique index folders_siblings on folders (workspace_id, coalesce(parent_id, ''), name_key)`,
  'create index folders_latest on folders (workspace_id, updated_at desc, id desc)',
  'create index folders_children on folders (workspace_id, parent_id, updated_at desc, id desc)',
  'create index folders_system on folders (workspace_id) where is_system = 1',

  // The number of folders directly in each folder; the root's `parent_id` is empty.
  `create table folder_counts (
    workspace_id text not null,
    parent_id text not null,
    folders integer not null check (folders >= 0),
    primary key (workspace_id, parent_id)
  ) strict, without rowid`,
  `create trigger folder_counts_insert after insert on folders begin ${ADD} end`,
  // A folder is empty when it is deleted, so its own count is 0.
  `create trigger folder_counts_delete after delete on folders begin
    ${SUBTRACT}
    delete from folder_counts where workspace_id = old.workspace_id and parent_id = old.id;
  end`,
  `create trigger folder_counts_move after update of workspace_id, parent_id on folders
    when (new.workspace_id, new.parent_id) is not (old.workspace_id, old.parent_id)
    begin ${SUBTRACT} ${ADD} end`,
  FOLDER_COUNTS_FORGET,
];
