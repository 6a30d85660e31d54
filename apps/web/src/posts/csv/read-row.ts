import type { Columns, Field } from './columns.ts';
import { readCount } from './read-count.ts';
import type { Row } from './read-csv.ts';
import { hasTimeOfDay, readTime, type TimeReading } from './read-time.ts';
import { timeOfId } from './time-of-id.ts';

export interface PostLine {
  readonly profile: string;
  readonly external_id: string;
  readonly published_at: string;
  readonly text?: string;
  readonly metrics: Readonly<Record<string, number>>;
}

export interface Reading extends TimeReading {
  readonly profile: string;
  readonly columns: Columns;
  /** Whether a spreadsheet has rounded the IDs of the whole column ({@link areRounded}). */
  readonly hasRoundedIds: boolean;
}

const METRICS = ['impressions', 'likes', 'comments', 'shares', 'saves', 'clicks'] as const;

/** Converts a row to a line of the import, or returns why the row can't be imported. */
export function readRow(row: readonly string[], reading: Reading): PostLine | string {
  const cell = (field: Field): string => cellOf(row, reading, field);
  const time = timeOf(row, reading);
  if (time === '') return 'The time is missing.';
  const published = readTime(time, reading);
  if ('problem' in published) return published.problem;
  const metrics: Record<string, number> = {};
  for (const name of METRICS) {
    const count = readCount(cell(name));
    if (count === null) return `“${cell(name)}” can’t be read as a number.`;
    if (count !== undefined) metrics[name] = count;
  }
  const id = cell('external_id');
  const isRounded = /^\d([.,]\d+)?e\+\d+$/i.test(id) || (reading.hasRoundedIds && LONG_ID.test(id));
  if (isRounded) return `A spreadsheet has rounded the ID “${id}”. Export the file again.`;
  const text = cell('text');
  return {
    profile: reading.profile,
    external_id: id || idOf(published.instant, text),
    published_at: (hasTimeOfDay([time]) ? null : timeOfId(id, published.instant)) ?? published.instant,
    // An empty cell doesn't delete the text of a post that was imported before.
    ...(text !== '' && { text }),
    metrics,
  };
}

/** An ID with more digits than a spreadsheet keeps of a number: it writes zeros for all after the fifteenth. */
const LONG_ID = /^\d{15}(\d{1,5})$/;

/** The number of zeros at the ends of long IDs that can't be chance: IDs would have them once in a million times. */
const ZEROS = 6;

/**
 * Whether a spreadsheet has rounded the IDs of a column. They would become new posts beside those of a file with the
 * right IDs.
 */
export function areRounded(ids: readonly string[]): boolean {
  const ends = ids.flatMap((id) => LONG_ID.exec(unwrapped(id.trim()))?.[1] ?? []).join('');
  return ends.length >= ZEROS && /^0+$/.test(ends);
}

/** Whether a row has the time of day, either in its time or in its ID. */
export function hasTime(row: readonly string[], reading: Reading): boolean {
  const time = timeOf(row, reading);
  if (hasTimeOfDay([time])) return true;
  const published = readTime(time, reading);
  return 'instant' in published && timeOfId(cellOf(row, reading, 'external_id'), published.instant) !== null;
}

/** Returns the time of a row's post, which may be in two columns. */
function timeOf(row: readonly string[], reading: Reading): string {
  const date = cellOf(row, reading, 'published_at');
  const timeOfDay = cellOf(row, reading, 'time_of_day');
  return date === '' || timeOfDay === '' || hasTimeOfDay([date]) ? date : `${date} ${timeOfDay}`;
}

const cellOf = (row: readonly string[], { columns }: Reading, field: Field): string =>
  unwrapped(row[columns[field] ?? -1]?.trim() ?? '');

/** Unwraps a long number from a formula such as `="123"`, with which exports prevent spreadsheets from rounding it. */
const unwrapped = (cell: string): string => /^="([^"]*)"$/.exec(cell)?.[1]?.trim() ?? cell;

/**
 * Derives an id that is the same in each import of the post. 32 bits (FNV-1a) suffice to distinguish posts within one
 * second.
 */
function idOf(published: string, text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text.replace(/[\p{C}\s]+/gu, ' '))) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return `${published} ${(hash >>> 0).toString(36)}`;
}

/**
 * Returns a function that reads a file's rows with `readRow`, and rejects a row that would change the post of an
 * earlier row.
 */
export function rowReader(reading: Reading): (row: Row) => PostLine | string {
  const earlier = new Map<string, { readonly number: number; readonly content: string }>();
  return ({ number, cells }) => {
    const line = readRow(cells, reading);
    if (typeof line === 'string') return line;
    const content = JSON.stringify(line);
    const known = earlier.get(line.external_id);
    if (!known) earlier.set(line.external_id, { number, content });
    if (!known || known.content === content) return line;
    const hasId = !line.external_id.startsWith(line.published_at);
    return `It has the same ${hasId ? 'ID' : 'time and text'} as row ${known.number} but different values.`;
  };
}
