import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Entry } from '@postshelf/harness';
import { Random } from '@postshelf/harness';
import type { Benchmark, Figure } from '../benchmark.ts';
import { inTurn } from '../in-turn.ts';
import { FIRST, LAST, linesOf, makePosts } from '../support/posts.ts';
import { withFolder } from '../support/program.ts';
import { importLines, makeProfile, makeWorkspace, type Service, startService } from '../support/service.ts';
import { figure } from '../support/side-by-side.ts';
import { type Cells, openGroupBy } from './group-by.ts';

const PROFILES = 50;
const POSTS = 20_000;
/** How many times as many posts the large database has in the same window. */
const GROWTH = 5;
const ZONE = 'Europe/Berlin';
const ROUNDS = 9;
/** Heatmaps of each round, one after the other. `GROUP BY` over a whole workspace takes seconds. */
const ASKED = { profile: 20, workspace: 5, 'workspace by GROUP BY': 1 } as const;

type Scope = 'profile' | 'workspace';

export const heatmap: Benchmark = {
  about:
    `\`GET /v1/analytics/best_times\` over a year, from \`postshelf serve\` over SQLite (HTTP, token and JSON included), beside ` +
    `one \`GROUP BY\` over the posts of the same file by better-sqlite3 in this process. One profile of ${count(POSTS)} posts, and ` +
    `a workspace of ${PROFILES} of them; then the same with ${GROWTH} times the posts in the same year, each beside its smaller ` +
    `self. Imported by NDJSON in the order of time. Zone ${ZONE}.`,

  run: (progress) =>
    withFolder(async (folder) => {
      const [small, large] = [join(folder, 'small'), join(folder, 'large')];
      const running: Service[] = [];
      const entry = await makeWorkspace({ DATA_DIR: small }, ZONE);
      try {
        progress(`importing ${count(PROFILES * POSTS)} posts`);
        const profiles = await fill(small, entry);
        await cp(small, large, { recursive: true });
        progress(`importing ${count(PROFILES * POSTS * (GROWTH - 1))} posts more`);
        await grow(large, entry, profiles);
        for (const data of [small, large]) running.push(await startService({ DATA_DIR: data }, entry));
        const [ours, grown] = running as [Service, Service];
        const ids = { profile: profiles[0] ?? '', workspace: entry.workspace };
        const figures: Figure[] = [];
        for (const scope of ['profile', 'workspace'] as const) {
          progress(`measuring: ${scope}`);
          figures.push(...(await besideGroupBy(ours, scope, ids[scope], POSTS)));
          figures.push(...(await besideGroupBy(grown, scope, ids[scope], POSTS * GROWTH)));
          figures.push(await besideSmaller(grown, ours, scope, ids[scope]));
        }
        return figures;
      } finally {
        for (const service of running) await service.end();
      }
    }),
};

/** Makes the profiles and imports each one's posts, one request a profile. */
async function fill(folder: string, entry: Entry): Promise<readonly string[]> {
  const service = await startService({ DATA_DIR: folder }, entry);
  try {
    const profiles: string[] = [];
    for (let nth = 0; nth < PROFILES; nth++) {
      const profile = await makeProfile(service, `Profile ${nth}`);
      profiles.push(profile);
      await importLines(service, linesOf(profile, makePosts(new Random(nth), 0, POSTS)), 'created');
    }
    return profiles;
  } finally {
    await service.end();
  }
}

async function grow(folder: string, entry: Entry, profiles: readonly string[]): Promise<void> {
  const service = await startService({ DATA_DIR: folder }, entry);
  try {
    for (let times = 1; times < GROWTH; times++)
      for (const [nth, profile] of profiles.entries()) {
        const posts = makePosts(new Random(times * PROFILES + nth), times * POSTS, POSTS);
        await importLines(service, linesOf(profile, posts), 'created');
      }
  } finally {
    await service.end();
  }
}

const pathOf = (scope: Scope, id: string): string =>
  `/analytics/best_times?${scope}=${id}&from=${new Date(FIRST).toISOString()}&to=${new Date(LAST).toISOString()}`;

/** Milliseconds for one heatmap. */
async function timed(what: keyof typeof ASKED, ask: () => unknown): Promise<number> {
  const start = performance.now();
  for (let nth = 0; nth < ASKED[what]; nth++) await ask();
  return (performance.now() - start) / ASKED[what];
}

async function besideGroupBy(service: Service, scope: Scope, id: string, posts: number): Promise<Figure[]> {
  const sql = openGroupBy(service.database);
  try {
    const ask = () => service.get(pathOf(scope, id));
    requireEqual(await ask(), sql[scope](id));
    const { ours, limit, ratio } = await inTurn(
      ROUNDS,
      () => timed(scope, ask),
      () => timed(scope === 'profile' ? scope : 'workspace by GROUP BY', () => sql[scope](id)),
    );
    const what = `${scope} of ${count(scope === 'profile' ? posts : posts * PROFILES)} posts`;
    return [
      figure(`${what}: ours`, ours, 'ms'),
      figure(`${what}: GROUP BY`, limit, 'ms'),
      { ...figure(`${what}: ours ÷ GROUP BY`, ratio, 'ratio'), goal: { kind: 'at most', value: 1 } },
    ];
  } finally {
    sql.close();
  }
}

async function besideSmaller(grown: Service, small: Service, scope: Scope, id: string): Promise<Figure> {
  const ask = (service: Service) => () => timed(scope, () => service.get(pathOf(scope, id)));
  const { ratio } = await inTurn(ROUNDS, ask(grown), ask(small));
  const what = `${scope}: time with ${GROWTH} times the posts ÷ time before`;
  return { ...figure(what, ratio, 'ratio'), goal: { kind: 'at most', value: 1.2 } };
}

/** @throws Error unless both sides have the same result, as otherwise they can't be compared */
function requireEqual(answer: unknown, { cells, posts }: Cells): void {
  const { data, meta } = answer as {
    readonly data: { readonly heatmap: Readonly<Record<string, readonly number[]>> };
    readonly meta: { readonly posts: number };
  };
  const ours = Object.values(data.heatmap).flat();
  const far = cells.filter((cell, hour) => Math.abs(cell - (ours[hour] ?? Number.NaN)) > 0.0101);
  if (meta.posts !== posts || ours.length !== cells.length || far.length > 0)
    throw new Error(`The two sides differ: ${meta.posts} and ${posts} posts, ${far.length} cells`);
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
