/** Default and maximum of `per_page` (docs/api.md, "Pages"). */
export const DEFAULT_PER_PAGE = 25;
export const MAX_PER_PAGE = 100;

/** Maximum page number; beyond it, offsets wouldn't be exact integers. */
export const MAX_PAGE = Math.floor(Number.MAX_SAFE_INTEGER / MAX_PER_PAGE);

export interface PageRequest {
  /** Starts at 1. */
  readonly page: number;
  /** 1 to {@link MAX_PER_PAGE}. */
  readonly perPage: number;
}

export interface Slice {
  readonly offset: number;
  readonly limit: number;
}

export interface Rows<T> {
  readonly items: readonly T[];
  readonly total: number;
}

/** Returns the page that was requested; a `per_page` above the maximum is lowered to it. */
export function pageRequest(page = 1, perPage = DEFAULT_PER_PAGE): PageRequest {
  return { page, perPage: Math.min(perPage, MAX_PER_PAGE) };
}

export const sliceOf = ({ page, perPage }: PageRequest): Slice => ({ offset: (page - 1) * perPage, limit: perPage });

export interface PageMeta {
  readonly current_page: number;
  readonly from: number | null;
  readonly to: number | null;
  readonly per_page: number;
  readonly last_page: number;
  readonly total: number;
  readonly path: string;
}

export interface PageLinks {
  readonly first: string;
  readonly last: string;
  readonly prev: string | null;
  readonly next: string | null;
}

/**
 * @param path without a query
 * @param kept parameters that the client sent, which the links repeat
 */
export function describePage(
  { page, perPage }: PageRequest,
  rows: Rows<unknown>,
  path: string,
  kept: Readonly<Record<string, string | readonly string[]>>,
): { meta: PageMeta; links: PageLinks } {
  const { total, items } = rows;
  const lastPage = Math.max(1, Math.ceil(total / perPage));
  const before = (page - 1) * perPage;
  const linkTo = (number: number): string => {
    const given = Object.entries({ ...kept, page: String(number) });
    const pairs = given.flatMap(([name, value]) => [value].flat().map((each) => [name, each]));
    return `${path}?${new URLSearchParams(pairs)}`;
  };
  return {
    meta: {
      current_page: page,
      from: items.length > 0 ? before + 1 : null,
      to: items.length > 0 ? before + items.length : null,
      per_page: perPage,
      last_page: lastPage,
      total,
      path,
    },
    links: {
      first: linkTo(1),
      last: linkTo(lastPage),
      prev: page > 1 ? linkTo(Math.min(page - 1, lastPage)) : null,
      next: page < lastPage ? linkTo(page + 1) : null,
    },
  };
}
