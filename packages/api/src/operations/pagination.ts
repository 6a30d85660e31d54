import {
  DEFAULT_PER_PAGE,
  describePage,
  MAX_PAGE,
  MAX_PER_PAGE,
  type PageRequest,
  pageRequest,
  type Rows,
} from '@postshelf/domain';
import * as v from 'valibot';
import { documented, type FieldDescription } from './fields/documented.ts';
import { integer } from './fields/values.ts';

const INTEGER = /^-?\d+$/;

/** A whole number of at least 1: a number in JSON, or digits in a query. */
const positiveInteger = (description: FieldDescription) =>
  v.pipe(
    documented(v.union([v.number(), v.string()]), { type: 'integer', minimum: 1, ...description }),
    v.check(
      (value) => (typeof value === 'number' ? Number.isInteger(value) : INTEGER.test(value)),
      'must be an integer.',
    ),
    // Thousands of digits would become Infinity, which no link can contain.
    v.transform((value) => Math.min(Number(value), Number.MAX_SAFE_INTEGER)),
    v.check((number) => number >= 1, 'must be at least 1.'),
  );

export const pageQuery = {
  page: v.optional(
    v.pipe(
      positiveInteger({ description: 'Which page, counted from 1.', default: 1, maximum: MAX_PAGE }),
      v.check((page) => page <= MAX_PAGE, `must not be greater than ${MAX_PAGE}.`),
    ),
  ),
  per_page: v.optional(
    positiveInteger({
      description: `Items per page; more than ${MAX_PER_PAGE} is lowered to ${MAX_PER_PAGE}.`,
      default: DEFAULT_PER_PAGE,
    }),
  ),
};

const pageFacts = {
  current_page: integer('The requested page.'),
  from: v.nullable(integer('Index of the first item on the page, counted from 1; null on an empty page.')),
  to: v.nullable(integer('Index of the last item on the page; null on an empty page.')),
  per_page: integer('Maximum number of items on a page.'),
  last_page: integer('The last page; 1 for an empty list.'),
  total: integer('Items on all pages.'),
  path: documented(v.string(), { description: 'Address of the list, without a query.', format: 'uri' }),
};

const pageMeta = documented(v.object(pageFacts), { title: 'PageMeta' });

const pageLink = (description: string) => documented(v.string(), { description, format: 'uri' });

const pageLinks = documented(
  v.object({
    first: pageLink('The first page.'),
    last: pageLink('The last page.'),
    prev: v.nullable(pageLink('The previous page; null on the first.')),
    next: v.nullable(pageLink('The next page; null on the last.')),
  }),
  { title: 'PageLinks', description: 'Addresses of other pages, with the same filters and `per_page`.' },
);

/** Returns the schema of a page of a list. @param title the page's name in the document */
export const pageOf = <T extends v.GenericSchema>(item: T, title: string) =>
  documented(v.object({ data: v.array(item), meta: pageMeta, links: pageLinks }), { title });

/** Returns the schema of a page of a list whose `meta` has more fields. */
export const pageWith = <T extends v.GenericSchema, const More extends v.ObjectEntries>(
  item: T,
  title: string,
  more: More,
) => {
  const meta = documented(v.object({ ...pageFacts, ...more }), { title: `${title}Meta` });
  return documented(v.object({ data: v.array(item), meta, links: pageLinks }), { title });
};

interface PageInput {
  readonly page?: number | undefined;
  readonly per_page?: number | undefined;
}

export const readPage = ({ page, per_page }: PageInput): PageRequest => pageRequest(page, per_page);

/**
 * Builds a page. Its links contain the filters and, if the caller sent `per_page`, its value from `meta`, which may be
 * lower.
 *
 * @param path the list's path, without a query
 * @param input the query as the caller sent it
 */
export function pageEnvelope<T, Shown>(path: string, input: PageInput, rows: Rows<T>, show: (item: T) => Shown) {
  const { page, ...filters } = input;
  const { perPage } = readPage(input);
  const kept = { ...filters, ...(filters.per_page !== undefined && { per_page: perPage }) };
  const given = Object.entries(kept).filter(([, value]) => value !== undefined);
  const query = Object.fromEntries(
    given.map(([name, value]) => [name, Array.isArray(value) ? value.map(String) : String(value)]),
  );
  return { data: rows.items.map(show), ...describePage(readPage(input), rows, path, query) };
}
