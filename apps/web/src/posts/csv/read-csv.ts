import { decode } from './decode.ts';

export interface Row {
  /** The row number from 1, as in a spreadsheet. */
  readonly number: number;
  readonly cells: readonly string[];
}

/** Maximum size in bytes, and maximum number of rows. A browser reads and shows this much without delay. */
const MAX_BYTES = 10_000_000;
const MAX_ROWS = 50_000;

/** A line that sets the separator. Spreadsheets interpret this line and don't show it. */
const SEPARATOR_LINE = /^"?sep=(\P{C}|\t)[^\r\n]*(?:\r\n?|\n)/iu;

/** The first bytes of ZIP files (.xlsx, .ods) and of Microsoft's compound files (.xls, [MS-CFB] section 2.2). */
const SPREADSHEETS = [
  [0x50, 0x4b],
  [0xd0, 0xcf],
] as const;

/** Reads the rows of a file, except blank rows. @throws Error with a sentence for the user */
export async function readCsv(file: File): Promise<readonly Row[]> {
  if (file.size > MAX_BYTES) throw new Error('The file is larger than 10 MB. Split it up.');
  const [buffer, { default: Papa }] = await Promise.all([file.arrayBuffer(), import('papaparse')]);
  const bytes = new Uint8Array(buffer);
  if (SPREADSHEETS.some(([one, two]) => bytes[0] === one && bytes[1] === two))
    throw new Error('This is a spreadsheet. Save it as CSV first.');
  const text = decode(bytes);
  const [line = '', named] = SEPARATOR_LINE.exec(text) ?? [];
  const content = text.slice(line.length).trimEnd();
  const delimiter = named ?? guessDelimiter((options) => Papa.parse<string[]>(content.slice(0, GUESSED_BY), options));
  const { data, errors } = Papa.parse<string[]>(content, { delimiter, preview: MAX_ROWS + 1 });
  if (data.length > MAX_ROWS) throw new Error('The file has more than 50,000 rows. Split it up.');
  const unquoted = errors.find(({ type }) => type === 'Quotes');
  if (unquoted) {
    const number = (unquoted.row ?? 0) + 1;
    throw new Error(`The quotation marks in row ${number} don’t match. Fix that row, or export the file again.`);
  }
  const rows = data
    .map((cells, index) => ({ number: index + 1, cells }))
    .filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  if (rows.length < 2) throw new Error('The file has no rows below the header.');
  return rows;
}

const DELIMITERS = [',', ';', '\t', '|'];

/** Number of characters, and number of rows, from which the delimiter is guessed. */
const GUESSED_BY = 50_000;
const GUESSED_BY_ROWS = 20;

/**
 * Guesses the delimiter. It is the one with which the most rows have the same number of cells, which must be at least
 * two. If several delimiters tie, the one that gives the most cells is used. Papa Parse's own guess isn't used: if
 * cells are separated by semicolons, it is misled by commas in texts and numbers.
 */
function guessDelimiter(
  parse: (options: { readonly delimiter: string; readonly preview: number }) => { readonly data: readonly string[][] },
): string {
  const guesses = DELIMITERS.map((delimiter) => {
    const lengths = parse({ delimiter, preview: GUESSED_BY_ROWS }).data.map(({ length }) => length);
    const widths = [...new Set(lengths)].filter((width) => width > 1);
    const same = (width: number): number => lengths.filter((length) => length === width).length;
    const width = widths.toSorted((one, other) => same(other) - same(one) || other - one)[0] ?? 0;
    return { delimiter, width, rows: same(width) };
  });
  const [best] = guesses.toSorted((one, other) => other.rows - one.rows || other.width - one.width);
  return best?.delimiter ?? ',';
}
