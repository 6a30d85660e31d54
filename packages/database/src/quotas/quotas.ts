import {
  type Amount,
  type Growth,
  heldBy,
  minus,
  plus,
  reachesMark,
  requireRoom,
  type Uuid,
  type WorkspaceUsage,
} from '@postshelf/domain';
import { sql } from 'kysely';
import type { Dialect, NotedChange, Queries } from '../store/dialect.ts';

/** Returns a workspace's usage without what presigned uploads have reserved; null if there is no workspace. */
export async function usageOf(queries: Queries, id: Uuid): Promise<WorkspaceUsage | null> {
  return (await measure(queries, id))?.usage ?? null;
}

/** Locks a workspace's usage: if the workspace has a quota, its usage can't grow until the transaction ends. */
export async function lockUsage(transaction: Queries, dialect: Dialect, id: Uuid): Promise<WorkspaceUsage | null> {
  await dialect.lock(transaction, 'quotas', [id]);
  return usageOf(transaction, id);
}

interface Measured {
  readonly usage: WorkspaceUsage;
  readonly reserved: Amount;
}

async function measure(queries: Queries, id: Uuid): Promise<Measured | null> {
  const counts = ['workspace_id', 'items', 'bytes'] as const;
  const inTrash = queries.selectFrom('trash_usage').select([...counts, sql<string>`'trash'`.as('kind')]);
  const used = queries
    .selectFrom('workspace_usage')
    .select([...counts, sql<string>`kind`.as('kind')])
    .where('workspace_id', '=', id)
    .unionAll(inTrash.where('workspace_id', '=', id))
    .as('used');
  // A single statement reads all the numbers, so that they are consistent with each other.
  const rows = await queries
    .selectFrom('workspaces')
    .leftJoin(used, (join) => join.onRef('used.workspace_id', '=', 'workspaces.id'))
    .select(['max_bytes', 'max_items', 'used.kind', 'used.items', 'used.bytes'])
    .where('workspaces.id', '=', id)
    .execute();
  const [workspace] = rows;
  if (!workspace) return null;
  const of = (wanted: string): Amount =>
    rows
      .filter(({ kind }) => kind === wanted)
      .reduce<Amount>((all, row) => plus(all, { bytes: row.bytes ?? 0, items: row.items ?? 0 }), NOTHING);
  const [images, videos, trash] = [of('image'), of('video'), of('trash')];
  const { max_bytes: maxBytes, max_items: maxItems } = workspace;
  const items = { ...plus(images, videos), images: images.items, videos: videos.items };
  const trashed = { trashBytes: trash.bytes, trashItems: trash.items };
  return { usage: { ...items, ...trashed, maxBytes, maxItems }, reserved: of('reserved') };
}

const NOTHING: Amount = { bytes: 0, items: 0 };

/**
 * Checks the quotas of workspaces to which a write has added something. The quota lock is taken last, after all other
 * locks of the write. Writers wait for it in turn, so each sees what the previous ones have committed.
 *
 * @throws StorageFull
 */
export async function keepQuotas(
  transaction: Queries,
  dialect: Dialect,
  changes: readonly NotedChange[],
  now: number,
): Promise<void> {
  const grown = growthOf(changes);
  if (grown.size === 0) return;
  await dialect.lock(transaction, 'quotas', [...grown.keys()]);
  for (const [id, growth] of grown) {
    const measured = await measure(transaction, id);
    if (!measured) continue;
    const { usage, reserved } = measured;
    requireRoom(growth, usage, usage, reserved, { bytes: usage.trashBytes, items: usage.trashItems });
    await emitQuotaEvents(transaction, id, { ...usage, ...minus(usage, growth.added) }, usage, now);
  }
}

function growthOf(changes: readonly NotedChange[]): ReadonlyMap<Uuid, Growth> {
  const grown = new Map<Uuid, Growth>();
  for (const { kind, before, after, limited, size } of changes) {
    if (limited === null || kind !== 'media' || before === after) continue;
    if (after !== 'active' && after !== 'temporary') continue;
    const one = { bytes: size ?? 0, items: 1 };
    const { added, announced, isSettled } = grown.get(limited) ?? {
      added: NOTHING,
      announced: NOTHING,
      isSettled: true,
    };
    grown.set(limited, {
      added: after === 'active' ? plus(added, one) : added,
      announced: after === 'temporary' ? plus(announced, one) : announced,
      isSettled: isSettled && before === 'temporary',
    });
  }
  return grown;
}

/**
 * Emits an event when usage crosses a quota threshold. Called under the lock, so that the events of a workspace are in
 * order.
 */
export async function emitQuotaEvents(
  transaction: Queries,
  id: Uuid,
  before: WorkspaceUsage,
  usage: WorkspaceUsage,
  now: number,
): Promise<void> {
  if (!reachesMark(heldBy(before), heldBy(usage))) return;
  const { last } = await transaction
    .selectFrom('events')
    .select((eb) => eb.fn.max('at').as('last'))
    .where('resource_id', '=', id)
    .executeTakeFirstOrThrow();
  const at = Math.max(now, 1 + (last ?? 0));
  const data = JSON.stringify(usage);
  await transaction
    .insertInto('events')
    .values({
      position: null,
      id: crypto.randomUUID() as Uuid,
      workspace_id: id,
      resource_id: id,
      type: 'workspace.quota',
      at,
      data,
    })
    .execute();
}
