import type { ExaminedFile, UnexaminedPage, Uuid } from '@postshelf/domain';
import { type SqlBool, sql } from 'kysely';
import type { Queries, Store } from '../store/store.ts';
import { detailsToJson } from './details-json.ts';

/** Word for word the condition of the index `media_unexamined`, without parameters, or no planner takes the index. */
const UNEXAMINED = sql<SqlBool>`status = 'active' and (details is null or sha256 is null)`;

/**
 * How details end whose item has no hash because none can be had: its row stays in the index. No other JSON ends so, as a text
 * within would end in a quote.
 */
const WITHOUT_HASH = '"without_hash":true}';

/** As of `MediaRepository.listUnexamined`. */
export async function listUnexamined(
  { reads, dialect }: Pick<Store, 'reads' | 'dialect'>,
  after: Uuid | null,
  limit: number,
): Promise<UnexaminedPage> {
  const rows = await reads
    .selectFrom('media')
    .select(['id', 'details'])
    .where(UNEXAMINED)
    .where('id', '>', after ?? dialect.noId)
    .orderBy('id')
    .limit(limit)
    .execute();
  return {
    ids: rows.filter(({ details }) => !details?.endsWith(WITHOUT_HASH)).map(({ id }) => id),
    next: rows.length < limit ? null : (rows.at(-1)?.id ?? null),
  };
}

/** As of `MediaRepository.keepExamined`, within a transaction. */
export async function keepExamined(queries: Queries, id: Uuid, file: ExaminedFile): Promise<boolean> {
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
  await queries.updateTable('media').set({ details, sha256 }).where('id', '=', id).execute();
  return true;
}

/** @param details a JSON object */
function withoutHash(details: string): string {
  const { without_hash: _, ...fields }: Readonly<Record<string, unknown>> = JSON.parse(details);
  return JSON.stringify({ ...fields, without_hash: true });
}
