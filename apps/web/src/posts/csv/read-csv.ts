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
  const { data, errors } = Papa.parse<string[]>(decode(bytes).trimEnd(), { preview: MAX_ROWS + 1 });
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

/** Spreadsheets mark UTF-16; what is neither that nor UTF-8 is most likely in Windows' Western encoding, as Excel's CSV is. */
function decode(bytes: Uint8Array): string {
  const mark = `${bytes[0]} ${bytes[1]}`;
  if (mark === '255 254') return new TextDecoder('utf-16le').decode(bytes);
  if (mark === '254 255') return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
