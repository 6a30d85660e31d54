import type { Figure } from '../benchmark.ts';
import { spreadOf } from '../in-turn.ts';
import type { Service } from '../support/service.ts';
import { figure } from '../support/side-by-side.ts';
import { dateOf, IN_FOLDER, libraryOf, ROWS, rowsOf } from './library.ts';

const ROUNDS = 9;

/** Maximum milliseconds for page 1 on an idle machine, however many rows there are. */
const MAX_FIRST_PAGE = 10;

/**
 * Maximum milliseconds for page 1 of a search, or of a list that is limited to dates. In both cases the matches have to
 * be counted.
 */
const MAX_COUNTED = 300;

const within = (from: number, to: number): string => `from=${dateOf(from)}&to=${dateOf(to)}`;
const [DAY_100, DAYS_30, YEAR] = [within(100, 100), within(1, 30), within(1, 365)];

/** Maximum milliseconds for the suggested times of a profile with 20,000 posts, and of a workspace with a million. */
const MAX_SLOTS = { profile: 100, workspace: 1000 } as const;
/**
 * The suggested times of a workspace are learned from at most this many of its newest posts (docs/api.md, "Best
 * times").
 */
const LEARNT = 200_000;

/** A list: its name, its query, its total (null if it depends on the time of the request), and its goal. */
type Row = readonly [what: string, query: string, total: number | null, goal?: number | undefined];

/** Number of videos in the folder that were created in the first 30 days. The folder contains only videos. */
const VIDEOS = Math.floor((rowsOf(30) * IN_FOLDER) / ROWS);

const mediaRows = (folder: string): readonly Row[] => [
  ['page 1', 'page=1', ROWS, MAX_FIRST_PAGE],
  ['page 1,000', 'page=1000', ROWS],
  ['last page', `page=${ROWS / 25}`, ROWS],
  ['of the videos', 'type=video&status=active', ROWS / 10, MAX_FIRST_PAGE],
  ['of a folder', `folder_id=${folder}`, IN_FOLDER, MAX_FIRST_PAGE],
  ['the newest', 'sort=-created_at', ROWS, MAX_FIRST_PAGE],
  ['the newest of a folder', `sort=-created_at&folder_id=${folder}`, IN_FOLDER, MAX_FIRST_PAGE],
  ['of a day', DAY_100, rowsOf(100) - rowsOf(99), MAX_COUNTED],
  ['of 30 days', DAYS_30, rowsOf(30), MAX_COUNTED],
  ['of a year', YEAR, rowsOf(365), MAX_COUNTED],
  ['since a minute', `from=${dateOf(31)}T11:30:00Z`, ROWS - rowsOf(30 + 11.5 / 24), MAX_COUNTED],
  ['of the videos of a folder and 30 days', `folder_id=${folder}&type=video&${DAYS_30}`, VIDEOS, MAX_COUNTED],
];

const videosOf = (days: number): number => Math.floor(rowsOf(days) / 10);

/** Searches that find few or many items, searches for short and long texts, and searches within a period. */
const searchRows: readonly Row[] = [
  ['nothing', 'search=holiday', 0, MAX_COUNTED],
  ['nothing, by one letter', 'search=z', 0, MAX_COUNTED],
  ['nothing, by 200 signs', `search=${'%25'.repeat(200)}`, 0, MAX_COUNTED],
  ['111', 'search=img_7777', 111, MAX_COUNTED],
  ['1,000', 'search=777.', ROWS / 1000, MAX_COUNTED],
  ['10,000', 'search=77.', ROWS / 100, MAX_COUNTED],
  ['100,000, by two letters', 'search=p4', ROWS / 10, MAX_COUNTED],
  ['100,000, by three', 'search=mp4', ROWS / 10, MAX_COUNTED],
  ['all, by one', 'search=g', ROWS, MAX_COUNTED],
  ['all, by four', 'search=img_', ROWS, MAX_COUNTED],

  ['11 of 111, in 30 days', `search=img_7777&${DAYS_30}`, 11, MAX_COUNTED],
  ['274 of 100,000, in a day', `search=mp4&${DAY_100}`, videosOf(100) - videosOf(99), MAX_COUNTED],
  ['8,219 of 100,000, in 30 days', `search=mp4&${DAYS_30}`, videosOf(30), MAX_COUNTED],
];

const folderRows: readonly Row[] = [
  ['at the root', 'parent_id=root', ROWS, MAX_FIRST_PAGE],
  ['last page', `page=${ROWS / 25}`, ROWS],
];

const postRows = (profile: string): readonly Row[] => [
  ['page 1', 'page=1', ROWS, MAX_FIRST_PAGE],
  ['page 1,000', 'page=1000', ROWS],
  ['of a profile', `profile=${profile}`, ROWS / 50, MAX_FIRST_PAGE],
  ['of a day', DAY_100, rowsOf(100) - rowsOf(99), MAX_COUNTED],
  ['of 30 days', DAYS_30, rowsOf(30), MAX_COUNTED],
  ['of a year', YEAR, rowsOf(365), MAX_COUNTED],
  ['of a profile, of 30 days', `profile=${profile}&${DAYS_30}`, Math.floor(rowsOf(30) / 50), MAX_COUNTED],
];

/**
 * Measures the lists of a filled library one after the other, in milliseconds from the request to the end of the
 * answer. The first run of each search is reported separately.
 */
export async function measureLists(name: string, service: Service): Promise<readonly Figure[]> {
  const { workspace, folder, profile } = libraryOf(service.workspace);
  const at = (list: string, kind: string, rows: readonly Row[]): Row[] =>
    rows.map(([what, query, total, goal]) => [
      `${kind}${what}`,
      `/workspaces/${workspace}/${list}?${query}`,
      total,
      goal,
    ]);
  const searches = at('media_contents', 'a search that finds ', searchRows);
  const rows = [
    ...at('media_contents', 'media, ', mediaRows(folder)),
    ...searches,
    ...at('media_library/folders', 'folders, ', folderRows),
    ...at('posts', 'posts, ', postRows(profile)),
    ...(
      [
        ['workspace', workspace, LEARNT],
        ['profile', profile, null],
      ] as const
    ).map(
      ([of, id, posts]): Row => [
        `suggested times of a ${of}`,
        `/analytics/best_times/slots?${of}=${id}`,
        posts,
        MAX_SLOTS[of],
      ],
    ),
  ];
  const ask = async ([what, path, total]: Row): Promise<number> => {
    const start = performance.now();
    const answer = await service.get(path);
    const taken = performance.now() - start;
    requireTotal(what, answer, total);
    return taken;
  };
  const first: Figure[] = [];
  for (const row of rows) {
    const value = await ask(row);
    if (searches.includes(row)) first.push({ what: `${name}: ${row[0]}, the first time`, value, unit: 'ms' });
  }
  const figures: Figure[] = [];
  for (const row of rows) {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) times.push(await ask(row));
    const [what, , , goal] = row;
    const measured = figure(`${name}: ${what}`, spreadOf(times), 'ms');
    figures.push(goal === undefined ? measured : { ...measured, goal: { kind: 'at most', value: goal } });
  }
  return [...figures, ...first];
}

function requireTotal(what: string, answer: unknown, wanted: number | null): void {
  const { meta } = answer as { readonly meta: { readonly total?: number; readonly posts?: number } };
  const found = meta.total ?? meta.posts;
  const isWanted = wanted === null ? found !== undefined && found > 0 : found === wanted;
  if (!isWanted) throw new Error(`${what}: ${found} in all instead of ${wanted ?? 'some'}`);
}
