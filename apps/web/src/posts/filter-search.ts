import { readText } from '../address/read-search.ts';

/** The search parameters that filter posts. */
export interface PostFilterSearch {
  readonly profile?: string;
  /** Dates or times, as the service accepts them; the pages' own fields only set dates. */
  readonly from?: string;
  readonly to?: string;
}

const readFilters = (search: Readonly<Record<string, unknown>>): PostFilterSearch => ({
  ...readText(search, 'profile'),
  ...readText(search, 'from'),
  ...readText(search, 'to'),
});

export interface PostsSearch extends PostFilterSearch {
  /** Only posts with this item. */
  readonly media?: string;
  /** The page number; 1 isn't written to the URL. */
  readonly page?: number;
  /** The id of the open post. */
  readonly post?: string;
  /** Shows the week of this date instead of the list. */
  readonly week?: string;
  /** Shows the month of this date instead of the list. */
  readonly month?: string;
}

const isDate = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));

export function readPostsSearch(search: Readonly<Record<string, unknown>>): PostsSearch {
  const page = Number(search.page);
  const { week } = readText(search, 'week');
  const { month } = readText(search, 'month');
  return {
    ...readFilters(search),
    ...readText(search, 'media'),
    ...(Number.isInteger(page) && page > 1 && { page }),
    ...readText(search, 'post'),
    ...(week !== undefined && isDate(week) && { week }),
    ...(week === undefined && month !== undefined && isDate(month) && { month }),
  };
}

export const readBestTimesSearch = readFilters;

/** Sets a filter; an empty text removes it. */
export function withFilter<Search extends PostFilterSearch>(
  search: Search,
  name: keyof PostFilterSearch,
  value: string,
): Search {
  const { [name]: _, ...rest } = search;
  return (value === '' ? rest : { ...rest, [name]: value }) as Search;
}
