import { NO_ROWS, onOneLine, printEach, tableOf } from '../print.ts';

/** A resource in the form in which the API returns it. */
export type Resource = Readonly<Record<string, unknown>>;

/** A column of a table: a field, or a heading with a function that returns its cells. */
export type Column = string | readonly [head: string, show: (item: Resource) => string];

/** Maximum number of columns for a list that doesn't define its columns: more don't fit in a terminal. */
const MAX_COLUMNS = 7;

export const isResource = (value: unknown): value is Resource =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isPlain = (value: unknown): boolean =>
  Array.isArray(value) ? value.every((one) => typeof one !== 'object') : typeof value !== 'object' || value === null;

/** Returns the resource in an answer; `{}` if the answer contains none. */
export const resourceIn = (answer: unknown): Resource =>
  isResource(answer) && isResource(answer.data) ? answer.data : {};

/** Returns the part of an answer that `--json` prints: only the resource, or the whole answer if it contains more. */
export function jsonOf(answer: unknown): unknown {
  if (!isResource(answer)) return answer;
  const { data, message: _, version, ...rest } = answer;
  if (!isResource(data) || Object.keys(rest).length > 0) return answer;
  return version === undefined ? data : { ...data, version };
}

/** Returns the lines that show an answer: its message, if there is one, then a table or a line for each field. */
export function linesOf(answer: unknown, columns?: readonly Column[]): readonly string[] {
  const { message, ...rest } = isResource(answer) ? answer : { data: answer };
  const said = typeof message === 'string' ? [message] : [];
  const value = jsonOf(rest);
  if (isResource(value) && Array.isArray(value.data)) {
    const items: readonly Resource[] = value.data;
    return [...said, ...(items.length === 0 ? [NO_ROWS] : tableLinesOf(columns ?? columnsOf(items))(items))];
  }
  return [...said, ...fieldLines(value)];
}

function tableLinesOf(columns: readonly Column[]): (items: readonly Resource[]) => readonly string[] {
  const lines = tableOf(columns.map(headOf));
  return (items) => lines(items.map((item) => columns.map((column) => cellOf(item, column))));
}

/**
 * Prints a list page by page. The first lines appear immediately, and the memory needed doesn't depend on the length of
 * the list.
 */
export function printPages(
  json: boolean,
  pages: AsyncIterable<readonly Resource[]>,
  show: (item: Resource) => Promise<Resource>,
  columns?: readonly Column[],
): Promise<void> {
  const shown = shownPages(pages, show);
  const parts: AsyncIterable<unknown> = json ? itemsOf(shown) : rowsOf(shown, columns);
  return printEach(json, parts, { name: 'data', show: (item) => item, line: String });
}

async function* shownPages(pages: AsyncIterable<readonly Resource[]>, show: (item: Resource) => Promise<Resource>) {
  for await (const page of pages) yield await Promise.all(page.map(show));
}

async function* itemsOf(pages: AsyncIterable<readonly Resource[]>): AsyncIterable<Resource> {
  for await (const page of pages) yield* page;
}

async function* rowsOf(pages: AsyncIterable<readonly Resource[]>, given?: readonly Column[]): AsyncIterable<string> {
  let lines: ((items: readonly Resource[]) => readonly string[]) | undefined;
  for await (const page of pages) {
    if (page.length === 0) continue;
    lines ??= tableLinesOf(given ?? columnsOf(page));
    yield* lines(page);
  }
  if (!lines) yield NO_ROWS;
}

/** Returns columns for the fields with plain values, in the order of the reference. */
const columnsOf = ([first = {}]: readonly Resource[]): readonly Column[] =>
  Object.entries(first)
    .filter(([, value]) => isPlain(value))
    .map(([name]) => name)
    .slice(0, MAX_COLUMNS);

/** Returns the heading of a column: `created_at` becomes `CREATED`, and `event.type` becomes `EVENT TYPE`. */
const headOf = (column: Column): string =>
  typeof column === 'string' ? column.replace(/_at$/, '').replace(/[._]/g, ' ').toUpperCase() : column[0];

function cellOf(item: Resource, column: Column): string {
  if (typeof column !== 'string') return column[1](item);
  const value = column.split('.').reduce<unknown>((at, name) => (isResource(at) ? at[name] : undefined), item);
  return value === null || value === undefined ? '' : textOf(value);
}

const textOf = (value: unknown): string => (Array.isArray(value) ? value.join(' ') : String(value));

const isNone = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);

/** Returns a line for each field. The lines of a nested object are prefixed with its name: `thumbnail.id: …`. */
function fieldLines(value: unknown, name = ''): readonly string[] {
  if (isPlain(value)) return name === '' ? [] : [`${name}: ${isNone(value) ? 'none' : onOneLine(textOf(value))}`];
  const parts = Object.entries(value as Resource);
  return parts.flatMap(([part, of]) => fieldLines(of, name === '' ? part : `${name}.${part}`));
}
