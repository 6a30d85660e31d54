export interface Row {
  /** From 1, as in a spreadsheet. */
  readonly number: number;
  readonly cells: readonly string[];
}

/** Bytes and rows that a browser reads and shows without delay. */
const MAX_BYTES = 10_000_000;
const MAX_ROWS = 50_000;

/** The rows of a file that aren't blank. @throws Error with a sentence for the user */
export async function readCsv(file: File): Promise<readonly Row[]> {
  if (file.size > MAX_BYTES) throw new Error('The file is larger than 10 MB. Split it up.');
  const [buffer, { default: Papa }] = await Promise.all([file.arrayBuffer(), import('papaparse')]);
  const bytes = new Uint8Array(buffer);
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) throw new Error('This is a spreadsheet. Save it as CSV first.');
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  const text = new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(bytes);
  const rows = Papa.parse<string[]>(text, { preview: MAX_ROWS + 1 })
    .data.map((cells, index) => ({ number: index + 1, cells }))
    .filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  if (rows.length < 2) throw new Error('The file has no rows below the header.');
  if (rows.length > MAX_ROWS) throw new Error('The file has more than 50,000 rows. Split it up.');
  return rows;
}
