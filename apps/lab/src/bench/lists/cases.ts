import { folderId } from './fill.ts';

const PER_PAGE = 25;

/** The first day, on which 86,400 rows were made, or all. */
const DAY = '2025-01-01';
const WITHIN_DAY = `between ${Date.UTC(2025, 0, 1)} and ${Date.UTC(2025, 0, 2) - 1}`;

/** A list, as a request and as SQL. */
export interface Case {
  readonly what: string;
  /** The path below the workspace's. */
  readonly path: string;
  readonly table: 'media' | 'folders';
  /** The condition on rows beside the workspace. */
  readonly where: string;
  readonly offset: number;
}

/** @param base what the ids of the workspace's rows begin at */
export function casesOf(rows: number, base: number): readonly Case[] {
  const last = Math.ceil(rows / PER_PAGE);
  const folder = folderId(base, 1);
  const media = (what: string, query: string, where = '', page = 1): Case => ({
    what: `media, ${what}`,
    path: `/media_contents?${query}`,
    table: 'media',
    where: `and cover_of is null ${where}`,
    offset: (page - 1) * PER_PAGE,
  });
  const folders = (what: string, query: string, where = '', page = 1): Case => {
    return {
      ...media('', query, '', page),
      what: `folders, ${what}`,
      path: `/media_library/folders?${query}`,
      table: 'folders',
      where,
    };
  };
  return [
    media('page 1', ''),
    media('last page', `page=${last}`, '', last),
    media('of a folder', `folder_id=${folder}`, `and folder_id = '${folder}'`),
    media('images', 'type=image', `and type in ('image/jpeg', 'image/png', 'image/gif', 'image/webp')`),
    media('failed', 'status=failed', `and status = 'failed'`),
    media('of a day', `from=${DAY}&to=${DAY}`, `and created_at ${WITHIN_DAY}`),
    media('search', 'search=photo-77', `and replace(search_key, 'photo-77', '') <> search_key`),
    media('search for a seldom text', 'search=photo-777', `and replace(search_key, 'photo-777', '') <> search_key`),
    media('search for two digits', 'search=77', `and replace(search_key, '77', '') <> search_key`),
    media(
      'search within a day',
      `search=photo-77&from=${DAY}&to=${DAY}`,
      `and replace(search_key, 'photo-77', '') <> search_key and created_at ${WITHIN_DAY}`,
    ),
    folders('page 1', ''),
    folders('last page', `page=${last}`, '', last),
    folders('at the root', 'parent_id=root', 'and parent_id is null'),
    folders('of a folder', `parent_id=${folder}`, `and parent_id = '${folder}'`),
  ];
}
