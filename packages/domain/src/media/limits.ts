/**
 * Minimum and maximum length of a new name in code points. The name counts as it was sent, including any extension. A
 * shorter or longer name is answered with 422 on `name`.
 */
export const NAME_LENGTH = { min: 3, max: 100 } as const;

/** Maximum length in code points; a longer label is answered with 422 on `label`. */
export const MAX_LABEL_LENGTH = 250;

/** Maximum length in code points; a longer text is answered with 422 on `alt_text`. */
export const MAX_ALT_TEXT_LENGTH = 1500;

/** Maximum number of items that one batch changes. */
export const MAX_BATCH = 500;
