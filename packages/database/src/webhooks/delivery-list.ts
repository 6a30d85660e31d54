import type { Delivery, Rows, Slice, Uuid } from '@postshelf/domain';
import { countOf, countOfFew, FEW_ROWS } from '../store/count.ts';
import type { Dialect, Queries } from '../store/dialect.ts';
import { readNewestFirst } from '../store/paging.ts';
import type { Scan, Store } from '../store/store.ts';
import { DELIVERY_COLUMNS, deliveryFromRow } from './webhook-rows.ts';

/** Lists a page of deliveries, and counts all of them. */
export const listDeliveries: Scan<[Uuid, Slice], Rows<Delivery>> = {
  name: 'listDeliveries',
  run: ({ read, dialect }, webhookId, slice) =>
    read(async (queries) =>
      readPage(of(queries, webhookId, dialect), slice, await countOf(of(queries, webhookId, dialect))),
    ),
};

/** Lists a page of deliveries without a scan; null if there are so many that a scan is needed. */
export async function listFewDeliveries(
  { read, dialect }: Pick<Store, 'read' | 'dialect'>,
  webhookId: Uuid,
  slice: Slice,
): Promise<Rows<Delivery> | null> {
  if (slice.offset > FEW_ROWS) return null;
  return read(async (queries) => {
    const total = await countOfFew(queries, of(queries, webhookId, dialect));
    return total === null ? null : readPage(of(queries, webhookId, dialect), slice, total);
  });
}

function of(queries: Queries, webhookId: Uuid, { whileWanted }: Dialect) {
  const deliveries = queries.selectFrom('webhook_deliveries').where('webhook_id', '=', webhookId);
  return whileWanted === undefined ? deliveries : deliveries.where(whileWanted);
}

async function readPage(deliveries: ReturnType<typeof of>, slice: Slice, total: number): Promise<Rows<Delivery>> {
  const rows = await readNewestFirst(deliveries.select(DELIVERY_COLUMNS), 'created_at', slice, total);
  return { items: rows.map(deliveryFromRow), total };
}
