import { instantOf } from '../../ui/zoned-time.ts';
import type { Columns, Field } from './columns.ts';
import type { Row } from './read-csv.ts';

export type DateOrder = 'month' | 'day';

export interface PostLine {
  readonly profile: string;
  readonly external_id: string;
  readonly published_at: string;
  readonly text?: string | null;
  readonly metrics: Readonly<Record<string, number>>;
}

export interface Reading {
  readonly profile: string;
  readonly columns: Columns;
  /** Which number of `2/3/2026` comes first. */
  readonly order: DateOrder;
  readonly timeZone: string;
}

const METRICS = ['impressions', 'likes', 'comments', 'shares', 'saves', 'clicks'] as const;

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const TIME =
  /(?:^|[\sT,])(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:\.\d+)?)?\s*(?<half>[ap]\.?m\.?)?\s*(?<offset>Z|[+-]\d{2}(?::?\d{2})?|UTC)?$/i;

/** The line of a row, or why it has none. */
export function readRow(row: readonly string[], reading: Reading): PostLine | string {
  const cell = (field: Field): string => row[reading.columns[field] ?? -1]?.trim() ?? '';
  const time = cell('published_at');
  const published = readTime(time, reading);
  if (published === null) return time === '' ? 'The time is missing.' : `“${time}” can’t be read as a time.`;
  const metrics: Record<string, number> = {};
  for (const name of METRICS) {
    const count = readCount(cell(name));
    if (count === null) return `“${cell(name)}” can’t be read as a number.`;
    if (count !== undefined) metrics[name] = count;
  }
  const id = cell('external_id');
  if (/^\d([.,]\d+)?e\+\d+$/i.test(id)) return `A spreadsheet has rounded the ID “${id}”. Export the file again.`;
  const text = cell('text');
  return {
    profile: reading.profile,
    external_id: id || idOf(published, text),
    published_at: published,
    ...(reading.columns.text !== undefined && { text: text || null }),
    metrics,
  };
}

/** The same in each import of the post. 32 bits (FNV-1a) are enough for posts of one second. */
function idOf(published: string, text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text.replace(/[\p{C}\s]+/gu, ' '))) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return `${published} ${(hash >>> 0).toString(36)}`;
}

/** Reads the rows of a file by `readRow`; a row must not change the post of an earlier one. */
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

/** undefined for none, null for what is no number. */
export function readCount(text: string): number | null | undefined {
  if (/^(|-|–|n\/a)$/i.test(text)) return undefined;
  const [, number = '', unit = ''] = /^([\d.,\s’']+)([km]?)$/i.exec(text) ?? [];
  const isGrouped = /^[1-9]\d{0,2}([.,\s’']\d{3})+$/.test(number);
  const value = Number(isGrouped ? number.replace(/\D/g, '') : number.replace(',', '.'));
  // `1,234K` may mean either.
  if (number === '' || Number.isNaN(value) || (isGrouped && unit !== '')) return null;
  const count = value * (unit === '' ? 1 : unit.toLowerCase() === 'k' ? 1000 : 1_000_000);
  return unit === '' && !Number.isInteger(count) ? null : Math.round(count);
}

/** RFC 3339 in UTC; null for what is no time. Dates alone are midnight. */
export function readTime(text: string, { order, timeZone }: Pick<Reading, 'order' | 'timeZone'>): string | null {
  const time = TIME.exec(text)?.groups;
  const date = readDate(text.replace(TIME, '').trim(), order);
  if (date === null) return null;
  const { hour = '0', minute = '00', second = '00', half, offset } = time ?? {};
  if (Number(hour) > (half ? 12 : 23)) return null;
  const hours = half ? (Number(hour) % 12) + (/^p/i.test(half) ? 12 : 0) : Number(hour);
  const local = `${date}T${String(hours).padStart(2, '0')}:${minute}:${second}`;
  const digits = offset?.replace(/\D/g, '').padEnd(4, '0') ?? '';
  const zone = offset && (/^[+-]/.test(offset) ? `${offset[0]}${digits.slice(0, 2)}:${digits.slice(2)}` : 'Z');
  const instant = Date.parse(`${local}${zone ?? 'Z'}`);
  if (Number.isNaN(instant)) return null;
  return zone === undefined ? instantOf(local, timeZone) : new Date(instant).toISOString();
}

/** Whether a column has times of day. */
export const hasTimeOfDay = (texts: readonly string[]): boolean => texts.some((text) => TIME.test(text.trim()));

/** By the first date that tells; else American if written with slashes. */
export function guessOrder(texts: readonly string[]): DateOrder {
  for (const text of texts) {
    const [, one, other] = /^(\d{1,2})[/.-](\d{1,2})[/.-]\d{4}/.exec(text.trim()) ?? [];
    if (Number(one) > 12) return 'day';
    if (Number(other) > 12) return 'month';
  }
  return texts.some((text) => /^\d{1,2}\.\d/.test(text.trim())) ? 'day' : 'month';
}

function readDate(text: string, order: DateOrder): string | null {
  const iso = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(text);
  if (iso) return dateOf(iso[1], Number(iso[2]), Number(iso[3]));
  const numbers = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}),?$/.exec(text);
  if (numbers) {
    const [one, other] = [Number(numbers[1]), Number(numbers[2])];
    return order === 'month' ? dateOf(numbers[3], one, other) : dateOf(numbers[3], other, one);
  }
  const [, monthFirst, day] = /([a-z]{3})[a-z]*\.? (\d{1,2}),? \d{4},?$/i.exec(text) ?? [];
  const [, dayFirst, month] = /(\d{1,2})\.? ([a-z]{3})[a-z]*\.?,? \d{4},?$/i.exec(text) ?? [];
  const at = MONTHS.indexOf((monthFirst ?? month ?? '').toLowerCase());
  return at < 0 ? null : dateOf(/\d{4}/.exec(text)?.[0], at + 1, Number(day ?? dayFirst));
}

/** null for days that don't exist. */
function dateOf(year: string | undefined, month: number, day: number): string | null {
  const date = `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
  const real = new Date(`${date}T00:00Z`);
  return !Number.isNaN(real.getTime()) && real.toISOString().startsWith(date) ? date : null;
}
