import {
  codePointLength,
  DEFAULT_PER_PAGE,
  MAX_PAGE,
  MAX_PER_PAGE,
  parseUuid,
  readRangeEnd,
  type Uuid,
} from '@postshelf/domain';
import * as v from 'valibot';
import { documented, type Facts } from './documented.ts';

/** An id in a path. What it is not is found out where it is looked up: malformed and unknown are the same 404. */
export const pathId = documented(v.string(), {
  description: 'Malformed, unknown, deleted, or in a workspace that the token may not enter: the same 404.',
  format: 'uuid',
});

/** An id in a body or query, of what the description says: malformed is a 422 like unknown. */
export const uuidOf = (description?: string) =>
  v.pipe(
    documented(v.string(), { format: 'uuid', ...(description !== undefined && { description }) }),
    v.check((text) => parseUuid(text) !== null, 'must be a valid UUID.'),
    v.transform((text) => parseUuid(text) as Uuid),
  );

/** An id whose field is described around it. */
export const uuid = uuidOf();

/** A folder in a filter: its id, or `root` for what is in none. */
export const uuidOrRoot = v.pipe(
  documented(v.string(), { examples: ['root'] }),
  v.check((text) => text === 'root' || parseUuid(text) !== null, 'must be a valid UUID or root.'),
);

export const readUuidOrRoot = (text: string | undefined): { id?: Uuid | null } => {
  if (text === undefined) return {};
  return { id: text === 'root' ? null : parseUuid(text) };
};

export const maxCodePoints = (limit: number) =>
  v.check<string, string>((text) => codePointLength(text) <= limit, `must not be greater than ${limit} characters.`);

const INTEGER = /^-?\d+$/;

/** A whole number from 1, as JSON or as the digits of a query. */
const positiveInteger = (facts: Facts) =>
  v.pipe(
    documented(v.union([v.number(), v.string()]), { type: 'integer', minimum: 1, ...facts }),
    v.check(
      (value) => (typeof value === 'number' ? Number.isInteger(value) : INTEGER.test(value)),
      'must be an integer.',
    ),
    // Digits without end would be Infinity, which no link can carry.
    v.transform((value) => Math.min(Number(value), Number.MAX_SAFE_INTEGER)),
    v.check((number) => number >= 1, 'must be at least 1.'),
  );

/** Query of every list (docs/api.md, "Pages"). */
export const pageQuery = {
  page: v.optional(
    v.pipe(
      positiveInteger({ description: 'Which page, counted from 1.', default: 1, maximum: MAX_PAGE }),
      v.check((page) => page <= MAX_PAGE, `must not be greater than ${MAX_PAGE}.`),
    ),
  ),
  per_page: v.optional(
    positiveInteger({
      description: `Items on a page; more than ${MAX_PER_PAGE} is lowered to ${MAX_PER_PAGE}.`,
      default: DEFAULT_PER_PAGE,
    }),
  ),
};

export const RANGE_END =
  "A date is that whole day in the workspace's time zone; a time without an offset is local there.";

/** One end of a date range; read again in the workspace's zone by {@link readRange}. */
export const rangeEnd = v.pipe(
  documented(v.string(), {
    description: RANGE_END,
    examples: ['2026-11-21', '2026-11-21 18:30:00', '2026-11-21T18:30:00+01:00'],
  }),
  v.check((text) => readRangeEnd(text, 'from', 'UTC') !== null, 'must be a valid date.'),
);

/** A whole number in an answer. */
export const integer = (description?: string) =>
  documented(v.number(), { type: 'integer', ...(description !== undefined && { description }) });

const pageMeta = documented(
  v.object({
    current_page: integer('The page, as asked for.'),
    from: v.nullable(integer('Index of the first item on the page, counted from 1; null on an empty page.')),
    to: v.nullable(integer('Index of the last item on the page; null on an empty page.')),
    per_page: integer('Items that a page has at most.'),
    last_page: integer('The last page; 1 for an empty list.'),
    total: integer('Items on all pages.'),
    path: documented(v.string(), { description: 'Address of the list, without a query.', format: 'uri' }),
  }),
  { title: 'PageMeta' },
);

const pageLink = (description: string) => documented(v.string(), { description, format: 'uri' });

const pageLinks = documented(
  v.object({
    first: pageLink('The first page.'),
    last: pageLink('The last page.'),
    prev: v.nullable(pageLink('The page before; null on the first.')),
    next: v.nullable(pageLink('The page behind; null on the last.')),
  }),
  { title: 'PageLinks', description: 'Addresses of other pages, with the same filters and `per_page`.' },
);

/** A page of a list as answered. @param title its name in the document */
export const pageOf = <T extends v.GenericSchema>(item: T, title: string) =>
  documented(v.object({ data: v.array(item), meta: pageMeta, links: pageLinks }), { title });

/** An answer that holds one resource. @param title its name in the document */
export const dataOf = <T extends v.GenericSchema>(data: T, title: string) => documented(v.object({ data }), { title });

/** An answer that also says in a sentence what was done. @param title its name in the document */
export const dataAndMessageOf = <T extends v.GenericSchema>(data: T, title: string) =>
  documented(v.object({ data, message: v.string() }), { title });
