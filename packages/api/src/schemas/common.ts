import { codePointLength, MAX_PAGE, parseUuid, readRangeEnd, type Uuid } from '@postshelf/domain';
import * as v from 'valibot';

/** An id in a path. What it is not is found out where it is looked up: malformed and unknown are the same 404. */
export const pathId = v.pipe(v.string(), v.metadata({ format: 'uuid' }));

/** An id in a body or query: malformed is a 422 like unknown. */
export const uuid = v.pipe(
  v.string(),
  v.check((text) => parseUuid(text) !== null, 'must be a valid UUID.'),
  v.transform((text) => parseUuid(text) as Uuid),
  v.metadata({ format: 'uuid' }),
);

/** A folder in a filter: its id, or `root` for what is in none. */
export const uuidOrRoot = v.pipe(
  v.string(),
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
const positiveInteger = v.pipe(
  v.union([v.number(), v.string()]),
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
      positiveInteger,
      v.check((page) => page <= MAX_PAGE, `must not be greater than ${MAX_PAGE}.`),
    ),
  ),
  per_page: v.optional(positiveInteger),
};

/** One end of a date range; read again in the workspace's zone by {@link readRange}. */
export const rangeEnd = v.pipe(
  v.string(),
  v.check((text) => readRangeEnd(text, 'from', 'UTC') !== null, 'must be a valid date.'),
);

const pageMeta = v.object({
  current_page: v.number(),
  from: v.nullable(v.number()),
  to: v.nullable(v.number()),
  per_page: v.number(),
  last_page: v.number(),
  total: v.number(),
  path: v.string(),
});

const pageLinks = v.object({
  first: v.string(),
  last: v.string(),
  prev: v.nullable(v.string()),
  next: v.nullable(v.string()),
});

/** A page of a list as answered. */
export const pageOf = <T extends v.GenericSchema>(item: T) =>
  v.object({ data: v.array(item), meta: pageMeta, links: pageLinks });
