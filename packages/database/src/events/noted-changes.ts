import type { NotedChange } from '../store/dialect.ts';

/**
 * Columns that both databases select from the left join of `fence`, `changes` and `workspaces`.
 *
 * `limited` is null for an item that is inserted with a version above 1. Such an item is restored from the trash, where
 * it already counted towards the quota, so it isn't checked again.
 */
export const CHANGE_COLUMNS = `fence.moved_to, changes.resource_id, changes.kind, changes.before, case changes.kind
    when 'media' then (select status from media where id = changes.resource_id)
    when 'folder' then (select 'there' from folders where id = changes.resource_id)
    when 'post' then (select 'there' from posts where id = changes.resource_id)
  end as after,
  workspaces.listened_until is not null or exists (
    select 1 from webhooks where webhooks.workspace_id = changes.workspace_id
  ) as is_heard,
  case when (max_bytes is not null or max_items is not null)
    and not (changes.before is null and exists (select 1 from media where id = changes.resource_id and version > 1))
    then workspaces.id end as limited,
  case when changes.kind = 'media' and (max_bytes is not null or max_items is not null) then coalesce(
    (select size from media where id = changes.resource_id),
    (select size from presigned_uploads where media_id = changes.resource_id)
  ) end as size`;

/** A row with the columns of {@link CHANGE_COLUMNS}. If there are no changes, there is one row without a change. */
export type ChangeRow = { readonly moved_to: string | null } & {
  readonly [Column in keyof NotedChange]: NotedChange[Column] | null;
};

const isChange = (row: ChangeRow): row is ChangeRow & NotedChange => row.resource_id !== null;

export const changesOf = (rows: readonly ChangeRow[]) => ({
  movedTo: rows[0]?.moved_to ?? null,
  changes: rows.filter(isChange),
});
