import type { NotedChange } from '../store/dialect.ts';

/**
 * What an item that appears with a later version takes has counted already, in the trash.
 *
 * What both databases select of `fence`, `changes` and `workspaces`, joined from the left.
 */
export const LOOKED = `fence.moved_to, changes.resource_id, changes.kind, changes.before, case changes.kind
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

/** A row of it; there is one without a change if there are none. */
export type Looked = { readonly moved_to: string | null } & {
  readonly [Column in keyof NotedChange]: NotedChange[Column] | null;
};

const isChange = (row: Looked): row is Looked & NotedChange => row.resource_id !== null;

export const readLooked = (rows: readonly Looked[]) => ({
  movedTo: rows[0]?.moved_to ?? null,
  changes: rows.filter(isChange),
});
