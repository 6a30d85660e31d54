import { tagKey } from '@postshelf/domain/media/tags';

/** Compares tags as the service does. */
export const isSameTag = (one: string, other: string): boolean => tagKey(one) === tagKey(other);

/** Adds the tags that are missing. Case is ignored, and existing tags keep their spelling. */
export const withTags = (has: readonly string[], more: readonly string[]): string[] => [
  ...has,
  ...more.filter((tag) => !has.some((known) => isSameTag(known, tag))),
];

export const withoutTags = (has: readonly string[], less: readonly string[]): string[] =>
  has.filter((tag) => !less.some((gone) => isSameTag(gone, tag)));

/** Parses typed tags, separated by commas or line breaks, and removes duplicates. */
export const readTags = (typed: string): string[] =>
  typed
    .split(/[,\n]/)
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
    .reduce<string[]>((found, tag) => withTags(found, [tag]), []);
