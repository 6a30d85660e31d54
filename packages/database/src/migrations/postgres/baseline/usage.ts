import { statementTriggers, triggerFunction } from './triggers.ts';

const GROUP = `workspace_id, case when type like 'video/%' then 'video' else 'image' end`;
const COUNTED = `cover_of is null and status = 'active'`;

/** @param groups selects the workspace, the kind, and the numbers of items and bytes to add */
const add = (groups: string): string => `insert into workspace_usage
        select g.w, g.k, media_counts_slot(g.w), g.n, g.b from (${groups}) as g (w, k, n, b)
        on conflict (workspace_id, kind, slot)
          do update set items = workspace_usage.items + excluded.items, bytes = workspace_usage.bytes + excluded.bytes;`;

/** The usage of workspaces, to which their quotas apply. */
export const USAGE = [
  // `active` items by kind, and the sizes that presigned uploads have declared (`reserved`), in slots like
  // `media_counts`.
  `create table workspace_usage (
    workspace_id uuid not null,
    kind text collate "C" not null check (kind in ('image', 'video', 'reserved')),
    slot smallint not null,
    items bigint not null,
    bytes bigint not null,
    primary key (workspace_id, kind, slot)
  ) with (fillfactor = 50)`,
  triggerFunction(
    'workspace_usage_add',
    `if tg_op = 'INSERT' then
        ${add(`select ${GROUP}, count(*), sum(size) from added where ${COUNTED} group by 1, 2 order by 1, 2`)}
      elsif tg_op = 'DELETE' then
        ${add(`select ${GROUP}, -count(*), -sum(size) from gone where ${COUNTED} group by 1, 2 order by 1, 2`)}
      else
        ${add(`select w, k, sum(n), sum(b) from (
            select ${GROUP}, 1, size from added where ${COUNTED}
            union all
            select ${GROUP}, -1, -size from gone where ${COUNTED}
          ) as moved (w, k, n, b)
          group by 1, 2 having sum(n) <> 0 or sum(b) <> 0 order by 1, 2`)}
      end if;
      return null;`,
  ),
  ...statementTriggers(
    ['workspace_usage_insert', 'workspace_usage_delete', 'workspace_usage_update'],
    'media',
    'workspace_usage_add()',
  ),

  // If the item is deleted with its presigned upload, the upload's trigger no longer finds the item. So the item's
  // trigger subtracts the reserved size.
  triggerFunction(
    'workspace_usage_reserve',
    `if tg_table_name = 'media' then
        ${add(`select old.workspace_id, 'reserved', -1, -size from presigned_uploads where media_id = old.id`)}
        return old;
      elsif tg_op = 'INSERT' then
        ${add(`select workspace_id, 'reserved', 1, new.size from media where id = new.media_id`)}
      else
        ${add(`select workspace_id, 'reserved', -1, -old.size from media where id = old.media_id`)}
      end if;
      return null;`,
  ),
  `create trigger workspace_usage_reserve after insert on presigned_uploads
    for each row execute function workspace_usage_reserve()`,
  `create trigger workspace_usage_settle after delete on presigned_uploads
    for each row execute function workspace_usage_reserve()`,
  `create trigger workspace_usage_abandon before delete on media
    for each row when (old.status = 'temporary') execute function workspace_usage_reserve()`,

  triggerFunction(
    'workspace_usage_forget',
    'delete from workspace_usage where workspace_id = old.id;\n      return null;',
  ),
  `create trigger workspace_usage_forget after delete on workspaces
    for each row execute function workspace_usage_forget()`,
];
