import { describePage, type PageRequest, pageRequest, type Rows } from '@postshelf/domain';

interface PageInput {
  readonly page?: number | undefined;
  readonly per_page?: number | undefined;
}

export const readPage = ({ page, per_page }: PageInput): PageRequest => pageRequest(page, per_page);

/**
 * The envelope of a list. `filters` is the query as the caller gave it; the links keep it and `per_page`.
 *
 * @param path the list's address, without a query
 */
export function pageEnvelope<T, Shown>(
  path: string,
  input: PageInput & { readonly workspace?: string },
  rows: Rows<T>,
  show: (item: T) => Shown,
) {
  const { page, workspace, ...kept } = input;
  const given = Object.entries(kept).filter(([, value]) => value !== undefined);
  const query = Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
  return { data: rows.items.map(show), ...describePage(readPage(input), rows, path, query) };
}
