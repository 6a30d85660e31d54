import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import Papa from 'papaparse';
import { CommandError } from '../run.ts';

/**
 * The results of importing a file:
 *
 * - `sending`: an upload was started, but its result isn't known; `media_id` is the id of a resumable upload;
 * - `imported`: an item was created from the file;
 * - `duplicate`: the library already had these bytes, and `media_id` is the item that has them;
 * - `refused`: the file isn't in the library; the next run tries it again;
 * - `skipped`: the file wasn't tried, because it is hidden, a system file, excluded or a link.
 */
const STATUSES = ['sending', 'imported', 'duplicate', 'refused', 'skipped'] as const;

type Status = (typeof STATUSES)[number];

/** A row of the report. An empty string means that the value is unknown. */
export interface Row {
  readonly path: string;
  readonly media_id: string;
  readonly status: Status;
  readonly reason: string;
  readonly size: string;
  readonly modified_at: string;
  readonly sha256: string;
  readonly workspace: string;
}

const COLUMNS = ['path', 'media_id', 'status', 'reason', 'size', 'modified_at', 'sha256', 'workspace'] as const;

const BREAK = '\r\n';

/** Number of bytes that are read from the report at a time. */
const CHUNK = 256 * 1024;

/**
 * Matches a first character that makes a spreadsheet evaluate a cell. A quote is added before such a cell. A cell that
 * begins with a quote gets another quote as well, so that added quotes can be told apart.
 */
const FORMULA = /^['=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

const isSettled = ({ status }: Pick<Row, 'status'>): boolean => status === 'imported' || status === 'duplicate';

/**
 * The part of a path's last row that is kept in memory. None of its strings is a slice of the report's text, because a
 * slice would keep a whole chunk of that text in memory.
 */
interface Known extends Pick<Found, 'size' | 'modifiedAt'>, Pick<Row, 'status'> {
  readonly line: number;
  /** The id of a resumable upload that may be continued. */
  readonly uploadId: string;
}

/**
 * The report of an import, a CSV file (RFC 4180). After a kill, the next run reads in it what is left to do. Rows are
 * only appended, each by a single write, and only the last row of each path counts. When the report is opened and when
 * it is completed, a new file with only those last rows replaces it.
 */
export class Report {
  #writing: Promise<void> = Promise.resolve();

  private constructor(
    readonly file: string,
    private readonly workspace: string,
    private readonly handle: FileHandle,
    /** The last row of each path, by {@link keyOf}. */
    private readonly known: Map<string, Known>,
    private readonly ids: Set<string>,
  ) {}

  /**
   * Continues the report of an earlier run, or starts a new one. Removes rows of refused and skipped files, because
   * these files are tried again.
   *
   * @throws CommandError if the file isn't a report, or is the report of another workspace; the system's error if the
   * file can't be read or written
   */
  static async open(file: string, workspace: string): Promise<Report> {
    const { known, ids } = await read(file, workspace);
    for (const [key, { status }] of known) if (status === 'refused' || status === 'skipped') known.delete(key);
    await rewrite(file, ({ line, row }) => known.get(keyOf(row.path))?.line === line);
    return new Report(file, workspace, await open(file, 'a'), known, ids);
  }

  /**
   * Reads a report without changing it. Returns a function that tells whether an earlier run imported a given file.
   *
   * @throws as {@link open}
   */
  static async settledIn(file: string): Promise<(found: Found) => boolean> {
    const { known } = await read(file, null);
    return (found) => isSettledAs(known.get(keyOf(found.path)), found);
  }

  /** Whether an earlier run imported the file, and the file hasn't changed since. */
  isSettled(found: Found): boolean {
    return isSettledAs(this.known.get(keyOf(found.path)), found);
  }

  /**
   * Returns whether an earlier run has started to send the unchanged file: an object with the id of the resumable
   * upload, or with null if there is none; null if no run has started.
   */
  interrupted(found: Found): { readonly uploadId: string | null } | null {
    const known = this.known.get(keyOf(found.path));
    return known?.status === 'sending' && isSame(known, found) ? { uploadId: known.uploadId || null } : null;
  }

  /** Whether a file of this report has already become this item. */
  hasItem(id: string): boolean {
    return this.ids.has(packed(id));
  }

  /** Appends a row. Resolves once the row survives a kill of this process. */
  add(row: Omit<Row, 'workspace'>): Promise<void> {
    if (isSettled(row)) this.ids.add(packed(row.media_id));
    const line = lineOf({ ...row, workspace: this.workspace });
    this.#writing = this.#writing.then(() => this.handle.appendFile(line));
    return this.#writing;
  }

  /**
   * Reduces the report to one row for each path, and syncs it to the disk.
   *
   * @throws CommandError if another import has written the report in the meantime
   */
  async end(): Promise<void> {
    await this.#writing;
    const [own, there] = await Promise.all([this.handle.stat(), stat(this.file).catch(() => null)]);
    await this.handle.close();
    if (own.ino !== there?.ino) {
      throw new CommandError(
        `${this.file} was written by another import in the meantime: repeat the command when that import has ended`,
      );
    }
    this.known.clear();
    this.ids.clear();
    const last = new Map<string, number>();
    for await (const rows of rowsOf(this.file)) for (const { line, row } of rows) last.set(keyOf(row.path), line);
    await rewrite(this.file, ({ line, row }) => last.get(keyOf(row.path)) === line);
  }
}

/** The properties of a file in a source when it was found or read. */
export interface Found {
  readonly path: string;
  readonly size: number;
  readonly modifiedAt: number;
}

/** Returns the columns that identify a state of a file. */
export const stateOf = ({ size, modifiedAt }: Found): Pick<Row, 'size' | 'modified_at'> => ({
  size: String(size),
  modified_at: new Date(modifiedAt).toISOString(),
});

const isSame = (known: Known, { size, modifiedAt }: Found): boolean =>
  known.size === size && known.modifiedAt === modifiedAt;

const isSettledAs = (known: Known | undefined, found: Found): boolean =>
  known !== undefined && isSettled(known) && isSame(known, found);

/** Returns a 96-bit hash of a path. It is kept in memory instead of the path, which may be long. */
const keyOf = (path: string): string => createHash('sha256').update(path).digest().toString('latin1', 0, 12);

/** Returns a UUID as a string of its 16 bytes, which takes less memory. */
const packed = (id: string): string => Buffer.from(id.replaceAll('-', ''), 'hex').toString('latin1');

interface Read {
  readonly known: Map<string, Known>;
  /** The ids of the imported items and of the duplicates, each as {@link packed} returns it. */
  readonly ids: Set<string>;
}

/**
 * Reads the last row of each path.
 *
 * @param workspace the workspace that all rows must have; null if any is accepted
 */
async function read(file: string, workspace: string | null): Promise<Read> {
  const known = new Map<string, Known>();
  const ids = new Set<string>();
  for await (const rows of rowsOf(file)) {
    for (const { line, row } of rows) {
      if (workspace !== null && row.workspace !== workspace) {
        throw new CommandError(`--report: ${file} belongs to the workspace ${row.workspace}; name another file`);
      }
      const { status, media_id } = row;
      const state = { size: Number(row.size), modifiedAt: Date.parse(row.modified_at) };
      known.set(keyOf(row.path), { line, status, ...state, uploadId: status === 'sending' ? media_id : '' });
      if (isSettled(row)) ids.add(packed(media_id));
    }
  }
  return { known, ids };
}

const HOUR = 3_600_000;

/** Removes drafts of killed runs: those that were last written more than an hour ago. */
async function removeOldDrafts(file: string): Promise<void> {
  const isDraft = new RegExp(`^${RegExp.escape(basename(file))}\\.[0-9a-f]{8}\\.new$`);
  for (const name of (await readdir(dirname(file))).filter((name) => isDraft.test(name))) {
    const draft = join(dirname(file), name);
    // Another run may have renamed its draft in the meantime.
    const found = statSync(draft, { throwIfNoEntry: false });
    if (found && found.mtimeMs < Date.now() - HOUR) await rm(draft, { force: true });
  }
}

/** Writes the rows that are kept to a new file, which then replaces the report. */
async function rewrite(file: string, isKept: (row: NumberedRow) => boolean): Promise<void> {
  // Each run has a draft of its own. Otherwise two imports that start at the same time would write to the same draft,
  // and one of them would still write to it after the other had made it the report.
  const draft = `${file}.${randomUUID().slice(0, 8)}.new`;
  await removeOldDrafts(file);
  const handle = await open(draft, 'w');
  try {
    await handle.appendFile(COLUMNS.join() + BREAK);
    for await (const rows of rowsOf(file)) {
      const kept = rows.filter(isKept).map(({ row }) => lineOf(row));
      await handle.appendFile(kept.join(''));
    }
    await handle.sync();
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  // The folder is synced, so that a power cut doesn't bring back the old report.
  const folder = await open(dirname(file));
  await folder.sync().finally(() => folder.close());
}

const lineOf = (row: Row): string =>
  Papa.unparse([COLUMNS.map((column) => row[column])], { escapeFormulae: FORMULA, newline: BREAK }) + BREAK;

interface NumberedRow {
  readonly line: number;
  readonly row: Row;
}

/**
 * Yields the rows of a report, several thousand at a time. Leaves out a row that a kill has cut off; yields nothing if
 * the file doesn't exist.
 */
async function* rowsOf(file: string): AsyncGenerator<readonly NumberedRow[]> {
  let line = 0;
  for await (const lines of cellsOf(file)) {
    const rows: NumberedRow[] = [];
    for (const cells of lines) {
      line += 1;
      const row = readRow(cells);
      if (row !== null) rows.push({ line, row });
      else if (line === 1 && cells.join() !== COLUMNS.join()) throw notReport(file);
    }
    yield rows;
  }
}

const notReport = (file: string): CommandError => new CommandError(`--report: ${file} is not the report of an import`);

/** Parses a row; null if it isn't complete. */
function readRow(cells: readonly string[]): Row | null {
  if (cells.length !== COLUMNS.length) return null;
  const [path = '', media_id = '', word = '', reason = '', size = '', modified_at = '', sha256 = '', workspace = ''] =
    cells.map((cell) => cell.replace(/^'/, ''));
  const status = STATUSES.find((known) => known === word);
  if (status === undefined || workspace.length !== 36) return null;
  return { path, media_id, status, reason, size, modified_at, sha256, workspace };
}

/** More characters than any row of a report has. */
const LONGEST_ROW = 1024 * 1024;

async function* cellsOf(file: string): AsyncGenerator<string[][]> {
  const parser = new Papa.Parser({ newline: BREAK });
  let rest = '';
  for await (const text of textOf(file)) {
    rest += text;
    // The last row may continue in the next chunk.
    const { data, meta } = parser.parse(rest, 0, true) as Papa.ParseResult<string[]>;
    rest = rest.slice(meta.cursor);
    if (rest.length > LONGEST_ROW) throw notReport(file);
    yield data;
  }
  if (rest !== '') yield (parser.parse(rest, 0, false) as Papa.ParseResult<string[]>).data;
}

async function* textOf(file: string): AsyncGenerator<string> {
  try {
    yield* createReadStream(file, { encoding: 'utf8', highWaterMark: CHUNK }) as AsyncIterable<string>;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}
