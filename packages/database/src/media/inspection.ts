import type { InspectedFile, UninspectedPage, Uuid } from '@postshelf/domain';
import { type SqlBool, sql } from 'kysely';
import type { Queries } from '../store/dialect.ts';
import type { Store } from '../store/store.ts';
import { detailsToJson } from './details-json.ts';

/**
 * The condition of the partial index `media_unexamined`, as literal SQL. With parameters, no planner would use the
 * index.
 */
const UNINSPECTED = sql<SqlBool>`status = 'active' and (details is null or sha256 is null)`;

/**
 * The end of the details of an item whose file can't be hashed. No other details end like this, because a string in
 * JSON ends in a quote.
 */
const WITHOUT_HASH = '"without_hash":true}';

export async function listUninspected(
  { read, dialect }: Pick<Store, 'read' | 'dialect'>,
  after: Uuid | null,
  limit: number,
): Promise<UninspectedPage> {
  const rows = await read((queries) =>
    queries
      .selectFrom('media')
      .select(['id', 'details'])
      .where(UNINSPECTED)
      .where('id', '>', after ?? dialect.noId)
      .orderBy('id')
      .limit(limit)
      .execute(),
  );
  return {
    ids: rows.filter(({ details }) => !details?.endsWith(WITHOUT_HASH)).map(({ id }) => id),
    next: rows.length < limit ? null : (rows.at(-1)?.id ?? null),
  };
}

export async function storeInspected(queries: Queries, id: Uuid, file: InspectedFile): Promise<boolean> {
  const row = await queries
    .selectFrom('media')
    .select(['details', 'sha256'])
    .where('id', '=', id)
    .where('status', '=', 'active')
    .forUpdate()
    .executeTakeFirst();
  if (!row) return false;
  const sha256 = row.sha256 ?? file.sha256;
  const known = row.details ?? detailsToJson(file.details);
  const details = sha256 === null ? withoutHash(known) : known;
  await queries
    .updateTable('media')
    .set(({ eb }) => ({ details, sha256, version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .execute();
  return true;
}

/** @param details a JSON object */
function withoutHash(details: string): string {
  const { without_hash: _, ...fields }: Readonly<Record<string, unknown>> = JSON.parse(details);
  return JSON.stringify({ ...fields, without_hash: true });
}
