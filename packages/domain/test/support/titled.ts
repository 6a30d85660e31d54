/** A text in ASCII alone, so that no terminal and no report gets what the tests attack with. */
const shown = (value: unknown): string =>
  (JSON.stringify(value) ?? String(value)).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Rows of a table of examples, each with its values as its title, for `test.each(titled(rows))('%s', …)`. */
export const titled = <const Row extends readonly [unknown, ...unknown[]]>(
  rows: readonly Row[],
): readonly (readonly [string, ...Row])[] => rows.map((row) => [row.map(shown).join(' → '), ...row] as const);
