import type { Figure } from '../benchmark.ts';
import { spreadOf } from '../in-turn.ts';
import type { Service } from '../support/service.ts';
import { figure } from '../support/side-by-side.ts';
import { FOLDERS, libraryOf, ROWS } from './library.ts';

const ROUNDS = 9;
/** The most that page 1 may take, ms: what a list of a few hundred takes, and some for a busy machine. */
const PAGE_1 = 10;

/** Milliseconds from the request to the whole answer, one after the other, from one process over a filled library. */
export async function measureLists(name: string, service: Service): Promise<readonly Figure[]> {
  const { workspace, folder, profile } = libraryOf(service.workspace);
  const media = `/workspaces/${workspace}/media_contents`;
  const posts = `/workspaces/${workspace}/posts`;
  const rows: readonly (readonly [string, string, number, number?])[] = [
    ['media, page 1', `${media}?page=1`, ROWS, PAGE_1],
    ['media, page 1,000', `${media}?page=1000`, ROWS],
    ['media, last page', `${media}?page=${ROWS / 25}`, ROWS],
    ['media, page 1 of the films', `${media}?type=video&status=active`, ROWS / 10, PAGE_1],
    ['media, page 1 of a folder', `${media}?folder_id=${folder}`, ROWS / 5 / 100, PAGE_1],
    ['media, page 1 of the newest', `${media}?sort=-created_at`, ROWS, PAGE_1],
    [
      'media, page 1 of the newest of a folder',
      `${media}?sort=-created_at&folder_id=${folder}`,
      ROWS / 5 / 100,
      PAGE_1,
    ],
    ['media, page 1 since a day', `${media}?from=2025-01-06`, ROWS - 5 * 86_400 + 1, PAGE_1],
    ['media, page 1 of a day', `${media}?from=2025-01-06&to=2025-01-06`, 86_400, PAGE_1],
    ['media, a search that finds 111', `${media}?search=img_7777`, 111, PAGE_1],
    ['media, a search that finds 10,000', `${media}?search=77.`, ROWS / 100, 2 * PAGE_1],
    ['media, a search that finds every tenth', `${media}?search=mp4`, ROWS / 10],
    ['media, a search that finds nothing', `${media}?search=${'%25'.repeat(200)}`, 0, PAGE_1],
    ['media, a search for two characters that finds nothing', `${media}?search=zz`, 0],
    ['folders, page 1 at the root', `/workspaces/${workspace}/media_library/folders?parent_id=root`, FOLDERS, PAGE_1],
    ['posts, page 1', `${posts}?page=1`, ROWS, PAGE_1],
    ['posts, page 1,000', `${posts}?page=1000`, ROWS],
    ['posts, page 1 of a profile', `${posts}?profile=${profile}`, ROWS / 50, PAGE_1],
  ];
  const figures: Figure[] = [];
  for (const [what, path, total, goal] of rows) {
    const times: number[] = [];
    for (let round = -1; round < ROUNDS; round++) {
      const start = performance.now();
      const answer = await service.get(path);
      const taken = performance.now() - start;
      requireTotal(what, answer, total);
      // The first warms up.
      if (round >= 0) times.push(taken);
    }
    const measured = figure(`${name}: ${what}`, spreadOf(times), 'ms');
    figures.push(goal === undefined ? measured : { ...measured, goal: { kind: 'at most', value: goal } });
  }
  return figures;
}

function requireTotal(what: string, answer: unknown, wanted: number): void {
  const { meta } = answer as { readonly meta: { readonly total: number } };
  if (meta.total !== wanted) throw new Error(`${what}: ${meta.total} in all instead of ${wanted}`);
}
