import * as v from 'valibot';

/** A text that passes a check; the sentence follows the setting's name where it doesn't. */
export const text = (sentence: string, check: (value: string) => boolean) =>
  v.pipe(v.string(), v.check(check, sentence));

export const wholeNumber = (min: number, max: number) =>
  v.pipe(
    text(`must be a whole number from ${min} to ${max}`, (value) => /^\d+$/.test(value)),
    v.transform(Number),
    v.check((number) => number >= min && number <= max, `must be a whole number from ${min} to ${max}`),
  );

/** Items between commas or spaces. */
export const list = (value: string): string[] => value.split(/[\s,]+/).filter((item) => item !== '');

export const flag = (fallback: 'true' | 'false') =>
  v.optional(
    v.pipe(
      v.picklist(['true', 'false'], 'must be true or false'),
      v.transform((value) => value === 'true'),
    ),
    fallback,
  );

/** Without query, fragment and credentials. */
export const isHttpUrl = (value: string): boolean => {
  const url = URL.parse(value);
  const hasCredentials = url === null || url.username !== '' || url.password !== '';
  return /^https?:\/\/[^\s?#]+$/i.test(value) && !hasCredentials;
};
