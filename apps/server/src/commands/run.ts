import type { Ports } from '@postshelf/application';
import { type AuditEntry, type FieldErrors, type LibraryChange, parseUuid, type Uuid } from '@postshelf/domain';
import { type Composition, composeExisting } from '../compose/compose.ts';
import { type Config, readConfig } from '../config/config.ts';
import { isOneFile } from '../telemetry/version.ts';
import { EXIT } from './exit-codes.ts';
import { reasonOf } from './reason.ts';

/**
 * Reads the settings, runs a command with the composed program, and always closes it afterwards.
 *
 * @param compose opens the library; the default refuses a library that does not exist
 */
export async function withComposition<T>(
  use: (composition: Composition, config: Config) => Promise<T>,
  compose: (config: Config) => Promise<Composition> = composeExisting,
): Promise<T> {
  const config = readConfig();
  const composition = await compose(config);
  try {
    return await use(composition, config);
  } finally {
    await composition.close();
  }
}

/** Records when a command ran, for `doctor` and `/metrics`. If recording fails, only a warning is printed. */
export const noteRun = ({ library }: Pick<Ports, 'library'>, change: LibraryChange): Promise<void> =>
  warned(library.update(change), 'note when this was done');

/**
 * Prints a warning if recording a command fails. The command itself still succeeds.
 *
 * @param what the words that complete "could not …"
 */
const warned = (noted: Promise<unknown>, what: string): Promise<void> =>
  noted.then(
    () => undefined,
    (error: unknown) => void process.stderr.write(`postshelf: could not ${what}: ${reasonOf(error)}\n`),
  );

/** Adds an entry for a command's change to the audit log. The entry has neither a token nor an address. */
export const recordCommand = (
  { audit, clock, ids }: Pick<Ports, 'audit' | 'clock' | 'ids'>,
  action: string,
  ofWhat: Partial<Pick<AuditEntry, 'subjectId' | 'workspaceId'>> = {},
): Promise<void> => {
  const nowhere = { tokenId: null, personId: null, subjectId: null, workspaceId: null, address: null, counts: null };
  return warned(
    audit.record([{ ...nowhere, ...ofWhat, id: ids.next(), at: clock.now(), action }]),
    'record this in the audit log',
  );
};

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

/** A command can't be carried out in the current state. The message is one line for an operator. */
export class CommandError extends Error {
  override readonly name = 'CommandError';

  /** @param details properties that are added to the message in the JSON object of the error */
  constructor(
    message: string,
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }
}

/** Returns the error for an unknown id. @param kind the word for the kind of resource */
export const unknownId = (kind: string, id: string): CommandError => new CommandError(`There is no ${kind} ${id}.`);

/** Parses an id. @throws CommandError for an invalid id, with the same message as for an unknown id */
export function readId(kind: string, text: string): Uuid {
  const id = parseUuid(text);
  if (!id) throw unknownId(kind, text);
  return id;
}

/** An error about refused values of options. */
export class OptionsRefused extends Error {
  override readonly name = 'OptionsRefused';

  /**
   * @param message a text that names the options
   * @param errors the errors by field, as the API names the fields
   */
  constructor(
    message: string,
    readonly errors: FieldErrors,
  ) {
    super(message);
  }
}

export const invocation = (): string => (isOneFile() ? 'postshelf' : 'npm run --silent postshelf --');

export const appendValue = (value: string, before: readonly string[]): readonly string[] => [...before, value];

/** Formats an instant for people and programs: RFC 3339, UTC. */
export const showTime = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());
