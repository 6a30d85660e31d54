/**
 * Length of a new name as it was sent, in code points, including any extension. Other lengths are answered with 422 on
 * `name`.
 */
export const NAME_LENGTH = { min: 3, max: 100 } as const;

/** Maximum length in code points; a longer label is answered with 422 on `label`. */
export const MAX_LABEL_LENGTH = 250;

/** Maximum length in code points; a longer text is answered with 422 on `alt_text`. */
export const MAX_ALT_TEXT_LENGTH = 1500;
