/** The signs that searches equate with one in ASCII, as the program that brought this migration folds them. */
export const PUNCTUATION_SIGNS = [
  ["'", '\u02bb\u02bc\u05f3\u2018\u2019\u201a\u201b'],
  ['"', '\u05f4\u201c\u201d\u201e\u201f'],
  ['-', '\u05be\u2010\u2012\u2013\u2014\u2015\u2212'],
] as const;

/** The tables with search keys. */
export const TABLES_WITH_KEYS = ['media', 'trashed_media'] as const;
