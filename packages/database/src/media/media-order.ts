import { DEFAULT_MEDIA_SORT, type MediaSort } from '@postshelf/domain';
import { type Expression, type ExpressionBuilder, sql } from 'kysely';
import { nameAndLabelIn, nameAndLabelOf } from '../search/search-key.ts';
import type { Dialect } from '../store/dialect.ts';
import type { MediaRow, Tables } from '../store/tables.ts';

/** A sort key of media, as an SQL expression and as a comparison of rows. */
interface SortKey {
  of(eb: ExpressionBuilder<Tables, 'media'>, dialect: Dialect): Expression<unknown>;
  compare(a: MediaRow, b: MediaRow): number;
}

/** Makes an unknown size sort first. */
const UNKNOWN_SIZE = -1;

const SORT_KEYS: { readonly [By in MediaSort['by']]: SortKey } = {
  updated_at: { of: (eb) => eb.ref('updated_at'), compare: (a, b) => a.updated_at - b.updated_at },
  created_at: { of: (eb) => eb.ref('created_at'), compare: (a, b) => a.created_at - b.created_at },
  // Sorts by the case-folded name.
  name: {
    of: (eb, { position }) => nameAndLabelIn(position, eb.ref('search_key')),
    compare: (a, b) => Buffer.compare(nameBytes(a), nameBytes(b)),
  },
  size: {
    of: (eb) => eb.fn.coalesce('size', sql.lit(UNKNOWN_SIZE)),
    compare: (a, b) => (a.size ?? UNKNOWN_SIZE) - (b.size ?? UNKNOWN_SIZE),
  },
};

const nameBytes = ({ search_key }: MediaRow): Buffer => Buffer.from(nameAndLabelOf(search_key));

/**
 * Returns the order of a list. Ties are sorted by id in the same direction, so that ascending is the reverse of
 * descending.
 */
export function orderOf({ by, descending }: MediaSort = DEFAULT_MEDIA_SORT) {
  const { of, compare } = SORT_KEYS[by];
  const sign = descending ? -1 : 1;
  return {
    key: of,
    descending,
    compare: (a: MediaRow, b: MediaRow) => sign * (compare(a, b) || (a.id < b.id ? -1 : 1)),
  };
}
