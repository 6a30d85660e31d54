import type { List, Page } from '@postshelf/client';
import { client } from './service.ts';

/** Rows per request, the most that the service returns. */
const PER_PAGE = 100;

interface Rows<Row> extends Page {
  readonly data: readonly Row[];
  readonly meta: { readonly total: number };
}

interface ReadAllOptions {
  readonly signal?: AbortSignal;
  /** Number of rows after which no further page is read. Default: any number. */
  readonly max?: number;
  /** Called after each page, with the number of rows that have been read. */
  onPage?(read: number): void;
}

/**
 * Reads all pages of a list.
 *
 * @returns the rows, and their total number, including those that weren't read
 * @throws PostshelfError
 */
export async function readAll<Input extends object, Row>(
  list: List<Input, Rows<Row>>,
  input: NoInfer<Input>,
  { signal, max = Number.POSITIVE_INFINITY, onPage }: ReadAllOptions = {},
): Promise<{ rows: Row[]; total: number }> {
  const rows: Row[] = [];
  let total = 0;
  for await (const { data, meta } of client.pages(list, { ...input, per_page: PER_PAGE }, signal && { signal })) {
    rows.push(...data);
    onPage?.(rows.length);
    total = meta.total;
    if (rows.length >= max) break;
  }
  return { rows, total };
}
