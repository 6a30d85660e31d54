/** Letters whose stroke searches ignore, as the program that brought this migration folds them. */
export const LETTERS_WITH_STROKE = { from: 'đħłøŧ', to: 'dhlot' } as const;

/**
 * The ranges of characters that searches ignore, for a bracket expression: all of `Default_Ignorable_Code_Point` in
 * Unicode 17.
 */
export const IGNORED_RANGES =
  '\u00ad\u034f\u061c\u115f-\u1160\u17b4-\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}';
