import * as v from 'valibot';

/** The program can't start. The message is one line that names the invalid setting or another cause. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** The values of a group of settings, by name. */
export type Read<Entries extends v.ObjectEntries> = v.InferOutput<v.ObjectSchema<Entries, undefined>>;

/** A string that has to pass `check`. If it doesn't, the error is the setting's name followed by `sentence`. */
export const text = (sentence: string, check: (value: string) => boolean) =>
  v.pipe(v.string(), v.check(check, sentence));

/**
 * Whether a path is free of what a shell would have replaced or removed. Other readers of settings, such as Docker's
 * `--env-file`, keep it, so a library would be created in a folder of that name.
 */
export const isPlainPath = (path: string): boolean => !/^[\s'"~$]|[\s'"]$/.test(path);

export const NOT_PLAIN = 'must be a path without quotation marks or spaces around it, and without ~ or $ at its start';

export const wholeNumber = (min: number, max: number) =>
  v.pipe(
    text(`must be a whole number from ${min} to ${max}`, (value) => /^\d+$/.test(value)),
    v.transform(Number),
    v.check((number) => number >= min && number <= max, `must be a whole number from ${min} to ${max}`),
  );

/** A list of items, separated by commas or spaces, each of which has to pass a check. */
export const listOf = (sentence: string, check: (item: string) => boolean) =>
  v.pipe(
    text(sentence, (value) => list(value).every(check)),
    v.transform(list),
  );

const list = (value: string): string[] => value.split(/[\s,]+/).filter((item) => item !== '');

export const flag = (fallback: 'true' | 'false') =>
  v.optional(
    v.pipe(
      v.picklist(['true', 'false'], 'must be true or false'),
      v.transform((value) => value === 'true'),
    ),
    fallback,
  );

export const httpUrl = text('must be an http or https URL without query or credentials', (value) => {
  const url = URL.parse(value);
  const hasCredentials = url === null || url.username !== '' || url.password !== '';
  return /^https?:\/\/[^\s?#]+$/i.test(value) && !hasCredentials;
});

/** The name of a region. Spaces would become part of signatures and host names. */
export const region = text('must be the name of a region such as eu-central-1', (name) => /^[\w.-]+$/.test(name));

export const withoutTrailingSlash = (url: string): string => url.replace(/\/+$/, '');
