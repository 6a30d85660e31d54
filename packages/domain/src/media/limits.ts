/** Code points of a new name as sent, with its extension if it has one. Outside: 422 on `name`. */
export const NAME_LENGTH = { min: 3, max: 100 } as const;

/** Code points. Above: 422 on `label`. */
export const MAX_LABEL_LENGTH = 250;

/** Code points. Above: 422 on `alt_text`. */
export const MAX_ALT_TEXT_LENGTH = 1500;
