/** Maximum characters of a value in a title. Some examples have a million. */
const MAX_SHOWN = 80;

/** Matches what is not ASCII, an accented Latin or Greek letter, kana or a Chinese character. */
const UNUSUAL = /[^ -~\u00c0-\u017f\u0370-\u03ff\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff]/g;

/**
 * Returns a short text of ASCII and ordinary letters. All other characters are escaped, so that no terminal and no
 * report receives the texts that the tests attack with.
 */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  const escaped = text.replace(UNUSUAL, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return escaped.length > MAX_SHOWN ? `${escaped.slice(0, MAX_SHOWN)}... (${text.length})` : escaped;
}

/**
 * Returns the rows of a table of examples, each preceded by its values as a title, for `test.each(titled(rows))('%s',
 * …)`.
 */
export const titled = <const Row extends readonly [unknown, ...unknown[]]>(
  rows: readonly Row[],
): readonly (readonly [string, ...Row])[] => rows.map((row) => [row.map(shown).join(' → '), ...row] as const);
