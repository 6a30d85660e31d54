import { readStored, store } from '../../ui/stored.ts';
import { isTimeOfDay } from './read-time.ts';

/**
 * The fields that a column may contain. The service accepts the same fields in each line of an import, except for
 * `time_of_day`, which completes `published_at` if a file has dates and times in separate columns.
 */
export const FIELDS = [
  { field: 'published_at', label: 'Published at' },
  { field: 'time_of_day', label: 'Time of day' },
  { field: 'external_id', label: 'Post ID' },
  { field: 'text', label: 'Text' },
  { field: 'impressions', label: 'Impressions' },
  { field: 'likes', label: 'Likes' },
  { field: 'comments', label: 'Comments' },
  { field: 'shares', label: 'Shares' },
  { field: 'saves', label: 'Saves' },
  { field: 'clicks', label: 'Clicks' },
] as const;

export type Field = (typeof FIELDS)[number]['field'];

/** The column index of each field. */
export type Columns = { readonly [Name in Field]?: number };

/**
 * The names of fields in exports from Instagram, Facebook, LinkedIn, TikTok, X, YouTube and programs such as Sprout, in
 * order of preference.
 */
const NAMES: Readonly<Record<Field, readonly string[]>> = {
  published_at: [
    ...['publish time', 'video publish time', 'post time', 'created date', 'post publish date', 'publish date'],
    ...['published at', 'created at', 'published', 'time', 'date'],
  ],
  time_of_day: ['publish time', 'post time', 'time of day', 'time', 'hour'],
  external_id: [
    ...['post id', 'tweet id', 'video id', 'external id', 'video link', 'post link', 'post permalink', 'post url'],
    ...['permalink', 'link'],
  ],
  text: [
    ...['post text', 'tweet text', 'post message', 'description', 'caption', 'video title', 'post title', 'title'],
    ...['text', 'message', 'post'],
  ],
  impressions: ['impressions', 'views', 'total views', 'video views', 'reach'],
  likes: ['likes', 'total likes', 'reactions', 'favorites'],
  comments: ['comments', 'total comments', 'replies'],
  shares: ['reposts', 'retweets', 'shares', 'total shares'],
  saves: ['saves', 'bookmarks', 'total bookmarks', 'add to favorites', 'saved'],
  clicks: ['total clicks', 'clicks', 'link clicks', 'post link clicks', 'url clicks'],
};

const ZONE = /\b(?:utc|gmt)\b(?!\s?[+-]\s?\d)/i;

const wordsOf = (title: string): string =>
  title
    .replace(ZONE, '')
    .toLowerCase()
    .match(/[a-z]+/g)
    ?.join(' ') ?? '';

/** Returns the time zone that a column's title names, as in "Date (UTC)"; null if it names none. */
export const zoneInTitle = (title: string): string | null => (ZONE.test(title) ? 'UTC' : null);

/**
 * Finds the columns of the fields by their titles. The titles in `remembered` take precedence.
 *
 * @param rows the first rows below the titles: of several columns with a text, the one is used that most rows fill, and
 *   a column counts as the times of day only if it has no dates
 */
export function guessColumns(
  titles: readonly string[],
  remembered: Readonly<Record<string, string>> = {},
  rows: readonly (readonly string[])[] = [],
): Columns {
  const words = titles.map(wordsOf);
  const columnsNamed = (field: Field): readonly number[] =>
    namesOf(field, words).flatMap((name) => (words.includes(name) ? [words.indexOf(name)] : []));
  const timesOfDay = columnsNamed('time_of_day').filter((column) => hasOnlyTimesOfDay(column, rows));
  const dates = columnsNamed('published_at').filter((column) => !timesOfDay.includes(column));
  const found = FIELDS.flatMap(({ field }) => {
    const chosen = remembered[field];
    const index = chosen === undefined || chosen === '' ? -1 : titles.indexOf(chosen);
    if (chosen === '' || index >= 0) return index < 0 ? [] : [[field, index] as const];
    const [best] = guesses(field);
    return best === undefined ? [] : [[field, best] as const];
  });
  return Object.fromEntries(found);

  function guesses(field: Field): readonly number[] {
    if (field === 'published_at') return dates;
    if (field === 'time_of_day') return timesOfDay;
    return field === 'text' ? mostFilledFirst(columnsNamed(field), rows) : columnsNamed(field);
  }
}

function hasOnlyTimesOfDay(column: number, rows: readonly (readonly string[])[]): boolean {
  const cells = rows.map((row) => row[column]?.trim() ?? '').filter((cell) => cell !== '');
  return cells.length > 0 && cells.every(isTimeOfDay);
}

/** YouTube's exports have the ID of a video in "Content", which contains the text in those of other programs. */
const namesOf = (field: Field, words: readonly string[]): readonly string[] =>
  field === 'external_id' && words.includes('video title') ? [...NAMES[field], 'content'] : NAMES[field];

/** Facebook's exports have the text of a post in "Title", and only that of a video in "Description". */
function mostFilledFirst(columns: readonly number[], rows: readonly (readonly string[])[]): readonly number[] {
  const filled = (column: number): number => rows.filter((row) => (row[column] ?? '').trim() !== '').length;
  return columns.toSorted((one, other) => filled(other) - filled(one));
}

/**
 * Number of lines at the start of a file in which the header row is searched for. Some exports begin with lines that
 * describe the file.
 */
const FIRST_LINES = 5;

/** Returns the index of the header row; 0 if there is none. */
export function findTitles(rows: readonly (readonly string[])[]): number {
  const at = rows.slice(0, FIRST_LINES).findIndex((row) => {
    const { published_at: time, ...others } = guessColumns(row);
    return time !== undefined && Object.keys(others).length > 0;
  });
  return Math.max(at, 0);
}

const keyOf = (profile: string): string => `postshelf columns ${profile}`;

/** The key of the time zone among the remembered columns. */
const TIME_ZONE = 'time_zone';

/**
 * Returns the column titles of the last import into a profile, by field. An empty title means that the field had no
 * column. The time zone is among them, unless it was the workspace's ({@link zoneOf}).
 */
export function rememberedColumns(profile: string): Readonly<Record<string, string>> {
  const entries = Object.entries(readStored(keyOf(profile)) ?? {});
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

/** Returns the time zone of the last import into a profile; null if it was the workspace's. */
export const zoneOf = (remembered: Readonly<Record<string, string>>): string | null => remembered[TIME_ZONE] || null;

/** @param timeZone null for the workspace's own, which may change */
export function rememberColumns(
  profile: string,
  titles: readonly string[],
  columns: Columns,
  timeZone: string | null,
): void {
  const chosen = FIELDS.map(({ field }) => [field, titles[columns[field] ?? -1] ?? '']);
  store(keyOf(profile), { ...Object.fromEntries(chosen), [TIME_ZONE]: timeZone ?? '' });
}
