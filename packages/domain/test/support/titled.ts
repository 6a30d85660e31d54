/** Of a value in a title; some examples have a million characters. */
const MAX_SHOWN = 80;

/** A short text in ASCII alone, so that no terminal and no report gets what the tests attack with. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  const start = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}... (${text.length})` : text;
  return start.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Rows of a table of examples, each with its values as its title, for `test.each(titled(rows))('%s', …)`. */
export const titled = <const Row extends readonly [unknown, ...unknown[]]>(
  rows: readonly Row[],
): readonly (readonly [string, ...Row])[] => rows.map((row) => [row.map(shown).join(' → '), ...row] as const);
