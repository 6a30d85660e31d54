/** Compares two names for sorting, with numbers by their value: `b2` comes before `b10`. */
export const byName = new Intl.Collator('en', { numeric: true }).compare;
