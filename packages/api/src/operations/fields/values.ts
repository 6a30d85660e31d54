import { isLongerThan, parseUuid, readName, type Uuid } from '@postshelf/domain';
import * as v from 'valibot';
import { documented, type FieldDescription } from './documented.ts';

/** An id in a path. It is only checked when it is looked up, because malformed and unknown ids get the same 404. */
export const pathId = documented(v.string(), {
  description:
    'The answer is 404 if the id is malformed, unknown or deleted, or if the token has no access to its workspace.',
  format: 'uuid',
});

export const uuidOf = (description?: string) =>
  v.pipe(
    documented(v.string(), { format: 'uuid', ...(description !== undefined && { description }) }),
    v.check((text) => parseUuid(text) !== null, 'must be a valid UUID.'),
    v.transform((text) => parseUuid(text) as Uuid),
  );

/** The schema of an id without a description, for fields that are described elsewhere. */
export const uuid = uuidOf();

/** A folder in a filter: its id, or `root` for items in no folder. */
export const uuidOrRoot = v.pipe(
  documented(v.string(), { examples: ['root'] }),
  v.check((text) => text === 'root' || parseUuid(text) !== null, 'must be a valid UUID or root.'),
);

export const readUuidOrRoot = (text: string | undefined): { id?: Uuid | null } => {
  if (text === undefined) return {};
  return { id: text === 'root' ? null : parseUuid(text) };
};

export const maxCodePoints = (limit: number) =>
  v.check<string, string>((text) => !isLongerThan(text, limit), `must not be greater than ${limit} characters.`);

/** A name on one line, trimmed and in NFC. @param max code points */
export const nameOf = (max: number, about: { readonly description?: string; readonly examples: readonly string[] }) =>
  v.pipe(
    documented(v.string(), { ...about, minLength: 1, maxLength: max }),
    v.rawTransform<string, string>(({ dataset, addIssue, NEVER }) => {
      const read = readName(dataset.value, max);
      if ('name' in read) return read.name;
      addIssue({ message: read.problem });
      return NEVER;
    }),
  );

export const integer = (description?: string) =>
  documented(v.number(), { type: 'integer', ...(description !== undefined && { description }) });

/**
 * Returns the schema of a list of items. The items of a list that is too long aren't checked, because a million invalid
 * items would result in a million messages.
 *
 * @param min minimum number of items
 * @param max maximum number of items
 */
export function listOf<const TItem extends v.GenericSchema>(item: TItem, max: number, min: 0 | 1 = 0) {
  const items = v.pipe(v.array(item), v.maxLength(max));
  const list = min === 0 ? items : v.pipe(items, v.minLength(1, 'is required.'));
  const tooLong = v.pipe(v.array(v.unknown()), v.maxLength(max, `must not have more than ${max} items.`));
  // This schema always refuses, so its output is never used.
  const refusal = tooLong as unknown as typeof list;
  return v.lazy((input) => (Array.isArray(input) && input.length > max ? refusal : list));
}

/**
 * Refuses duplicate texts in a list. Only the first `max` values are checked, because longer lists are refused anyway.
 *
 * @param keyOf returns the same key for texts that mean the same, and null for texts that the list refuses anyway
 */
export const noneTwice = <T>(max: number, keyOf: (text: string) => string | null = (text) => text) =>
  v.rawCheck<T[]>(({ dataset, addIssue }) => {
    // Values that have already been refused are in the dataset as the caller sent them.
    const given: unknown = dataset.value;
    const values: unknown[] = Array.isArray(given) ? given.slice(0, max) : [];
    const seen = new Set<unknown>();
    for (const [index, value] of values.entries()) {
      const key = typeof value === 'string' ? keyOf(value) : null;
      if (key === null) continue;
      const path = { type: 'array', origin: 'value', input: values, key: index, value } as const;
      if (seen.has(key)) addIssue({ message: 'has a duplicate value.', path: [path] });
      seen.add(key);
    }
  });

const MAX_NAMES_LENGTH = 1000;

/**
 * Names in a query: separated by commas, or one in each parameter. tRPC's clients may also send a list.
 *
 * @param known whether a name is valid
 * @param message the error for invalid names
 */
export const namesIn = <Name extends string>(
  known: (name: string) => name is Name,
  message: string,
  description: Pick<FieldDescription, 'description' | 'examples' | 'x-extension'>,
) =>
  v.pipe(
    documented(v.union([v.string(), v.array(v.string())]), {
      type: 'string',
      maxLength: MAX_NAMES_LENGTH,
      ...description,
    }),
    v.transform((given) => [given].flat().join()),
    maxCodePoints(MAX_NAMES_LENGTH),
    v.transform((text) => [...new Set(text.split(',').map((name) => name.trim()))]),
    v.check((names) => names.every(known), message),
    v.transform((names) => names.filter(known)),
  );

/**
 * The names of the optional parts that an answer should include. The result is a text with commas, as in links to other
 * pages. The input's type is written out here, because the client's type declarations can't refer to types of this
 * package.
 */
export function includeOf<const Word extends string>(
  words: readonly Word[],
  description: string,
): v.GenericSchema<Word | `${Word},${Word}` | Word[], string> {
  const isWord = (name: string): name is Word => words.some((word) => word === name);
  const names = namesIn(isWord, `must be ${words.join(' or ')}.`, {
    description,
    examples: [words.join()],
    'x-extension': true,
  });
  const joined = v.pipe(
    names,
    v.transform((all) => all.join()),
  );
  return joined as unknown as v.GenericSchema<Word | `${Word},${Word}` | Word[], string>;
}

/** A number from 0 to 1, as a fraction of a length. */
export const fraction = (description: string) =>
  v.pipe(
    documented(v.number(), { description, minimum: 0, maximum: 1 }),
    v.minValue(0, 'must be at least 0.'),
    v.maxValue(1, 'must not be greater than 1.'),
  );

/** An object, but not an array: valibot's `object` also accepts arrays. */
export function objectOf<const TEntries extends v.ObjectEntries>(entries: TEntries) {
  const object = v.object(entries);
  const none = v.pipe(
    v.unknown(),
    v.transform(() => null),
    object,
  );
  const refusal = none as unknown as typeof object;
  return v.lazy((input) => (Array.isArray(input) ? refusal : object));
}

/** An object without fields that are undefined, for types that distinguish absent from undefined. */
export type Given<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

export function given<T extends object>(fields: T): Given<T> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Given<T>;
}

/** An RFC 3339 time, as {@link showTime} returns it. */
export const dateTime = (description: string) => documented(v.string(), { description, format: 'date-time' });

/** @param time milliseconds since the epoch */
export const showTime = (time: number): string => new Date(time).toISOString();
