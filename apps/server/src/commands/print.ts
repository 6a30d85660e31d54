import { EXIT } from './exit-codes.ts';

let isWatched = false;

/**
 * Returns standard output. If its reader has closed it (`postshelf openapi | head -1`), the process ends silently, with
 * the exit code of SIGPIPE. If standard output can't be written to, for example because it is a file on a full disk,
 * the process fails.
 */
export function standardOutput(): NodeJS.WriteStream {
  if (!isWatched) process.stdout.on('error', endUnwritten);
  isWatched = true;
  return process.stdout;
}

function endUnwritten({ code, message }: NodeJS.ErrnoException): never {
  if (code === 'EPIPE') process.exit(EXIT.pipeClosed);
  process.stderr.write(`postshelf: standard output: ${message}\n`);
  process.exit(EXIT.failed);
}

let hasPrinted = false;

/** Whether the result was already printed. If it was, a later error isn't printed to standard output. */
export const hasPrintedResult = (): boolean => hasPrinted;

/**
 * Prints the result: with `--json` one object and nothing else, otherwise lines for people.
 *
 * @param to another stream, for a command that uses standard output for its data
 */
export function print(
  json: boolean | undefined,
  value: unknown,
  lines: readonly string[],
  to: NodeJS.WritableStream = standardOutput(),
): void {
  hasPrinted = true;
  to.write(json ? `${safeJson(value)}\n` : lines.map((line) => `${safeText(line)}\n`).join(''));
}

interface Printing<T> {
  readonly name: string;
  show(item: T): unknown;
  line(item: T): string;
  last?(): string;
}

/** Like {@link print}, for items that arrive one by one. */
export async function printEach<T>(
  json: boolean | undefined,
  items: AsyncIterable<T>,
  { name, show, line, last }: Printing<T>,
): Promise<void> {
  hasPrinted = true;
  if (json) await write(`{${JSON.stringify(name)}:[`);
  let comma = '';
  for await (const item of items) {
    await write(json ? `${comma}${safeJson(show(item))}` : `${safeText(line(item))}\n`);
    comma = ',';
  }
  if (json) await write(']}\n');
  else if (last) await write(`${last()}\n`);
}

/** Writes a text, and waits for the reader, so that output doesn't accumulate in memory. */
const write = (text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    standardOutput().write(text, (error) => (error ? reject(error) : resolve()));
  });

type Row = readonly string[];

export const NO_ROWS = 'None yet.';

/** Returns the lines of a table; {@link NO_ROWS} if there are no rows. */
export const table = (heads: Row, rows: readonly Row[]): readonly string[] =>
  rows.length === 0 ? [NO_ROWS] : tableOf(heads)(rows);

/**
 * Returns a function that formats rows as lines. The first call also returns the headings. In later calls, each column
 * is at least as wide as in earlier calls.
 */
export function tableOf(heads: Row): (rows: readonly Row[]) => readonly string[] {
  let widths: readonly number[] = [];
  const pad = (cell: string, column: number): string =>
    cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - Bun.stringWidth(cell)));
  return (rows) => {
    const all = (widths.length === 0 ? [heads, ...rows] : rows).map((row) => row.map(onOneLine));
    widths = heads.map((_, column) =>
      Math.max(widths[column] ?? 0, ...all.map((row) => Bun.stringWidth(row[column] ?? ''))),
    );
    return all.map((row) => row.map(pad).join('  ').trimEnd());
  };
}

/**
 * Matches characters that a terminal would interpret instead of showing: control characters, and characters that
 * reorder a line (Unicode TR 9).
 */
const UNSAFE = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;

export const onOneLine = (text: string): string => text.replace(UNSAFE, '?');

/** Makes a text with several lines safe for a terminal. */
export const safeText = (text: string): string => text.replace(/[^\n\t]+/g, onOneLine);

/** Returns JSON that is safe for a terminal. `JSON.stringify` escapes only the control characters of ASCII. */
export const safeJson = (value: unknown): string =>
  JSON.stringify(value).replace(UNSAFE, (unsafe) => `\\u${unsafe.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Formats an instant for people and programs: RFC 3339, UTC. */
export const showTime = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());
