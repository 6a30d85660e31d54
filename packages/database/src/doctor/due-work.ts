import { DUE_WORK, type DueWork, type LongestDue, UNCONFIRMED_LIFETIME } from '@postshelf/domain';
import type { SelectQueryBuilder } from 'kysely';
import type { Queries } from '../store/dialect.ts';
import type { Store } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';

type Work = keyof LongestDue;
type Due = SelectQueryBuilder<Tables, never, { since: number | null }>;

/** Queries that only `doctor` runs. Each reads an index, or a table that holds only pending rows. */
const DUE: { readonly [Name in Work]: (queries: Queries) => Due } = {
  'unconfirmed uploads': (queries) =>
    queries.selectFrom('presigned_uploads').select((eb) => eb('expires_at', '+', UNCONFIRMED_LIFETIME).as('since')),
  deletions: (queries) => queries.selectFrom('deletions').select('deleted_at as since'),
};

export const dueWork = (store: Store): DueWork => ({
  oldest: () =>
    store.read(async (queries) => {
      const found: [Work, number | null][] = [];
      for (const work of DUE_WORK) {
        const query = queries
          .selectFrom(DUE[work](queries).as('due'))
          .select((eb) => eb.fn.min('due.since').as('oldest'));
        const { oldest } = await query.executeTakeFirstOrThrow();
        found.push([work, oldest === null ? null : Number(oldest)]);
      }
      return Object.fromEntries(found) as Record<Work, number | null>;
    }),
});
