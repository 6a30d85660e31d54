import { readText } from '../address/read-search.ts';

const TYPES = ['image', 'video'] as const;
const STATUSES = ['active', 'processing', 'failed', 'temporary'] as const;
const SORTS = ['-updated_at', 'updated_at', '-created_at', 'created_at', 'name', '-name', 'size', '-size'] as const;

/** The search parameters of the library's URL. */
export interface LibrarySearch {
  readonly search?: string;
  readonly tag?: string;
  readonly type?: (typeof TYPES)[number];
  readonly status?: (typeof STATUSES)[number];
  readonly sort?: (typeof SORTS)[number];
  /** The folder behind an open item. */
  readonly folder?: string;
}

/** Reads the search parameters. Ignores unknown values, so that a URL from a later version works as far as possible. */
export function readLibrarySearch(search: Readonly<Record<string, unknown>>): LibrarySearch {
  const type = TYPES.find((known) => known === search.type);
  const status = STATUSES.find((known) => known === search.status);
  const sort = SORTS.find((known) => known === search.sort);
  return {
    ...readText(search, 'search'),
    ...readText(search, 'tag'),
    ...readText(search, 'folder'),
    ...(type && { type }),
    ...(status && { status }),
    ...(sort && { sort }),
  };
}
