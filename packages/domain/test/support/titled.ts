/** Maximum characters of a value in a title. Some examples have a million. */
const MAX_SHOWN = 80;

/**
 * Returns a short text that contains only ASCII, so that no terminal and no report receives the texts that the tests
 * attack with.
 */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  const start = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}... (${text.length})` : text;
  return start.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Returns the rows of a table of examples, each preceded by its values as a title, for `test.each(titled(rows))('%s',
 * …)`.
 */
export const titled = <const Row extends readonly [unknown, ...unknown[]]>(
  rows: readonly Row[],
): readonly (readonly [string, ...Row])[] => rows.map((row) => [row.map(shown).join(' → '), ...row] as const);
