const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** Adds tags, compared without regard to case; existing ones keep their spelling. */
export const withTags = (has: readonly string[], more: readonly string[]): string[] => [
  ...has,
  ...more.filter((tag) => !has.some((known) => isSame(known, tag))),
];

export const withoutTags = (has: readonly string[], less: readonly string[]): string[] =>
  has.filter((tag) => !less.some((gone) => isSame(gone, tag)));

/** Parses typed tags, separated by commas or line breaks, and removes duplicates. */
export const readTags = (typed: string): string[] =>
  typed
    .split(/[,\n]/)
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
    .reduce<string[]>((found, tag) => withTags(found, [tag]), []);
