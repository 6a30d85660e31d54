import { Random } from '@postshelf/harness';
import { makeDatabase, type RealPostgres, runSql } from '@postshelf/testing/servers/postgres';
import type { Benchmark, Figure } from '../benchmark.ts';
import { spreadOf } from '../in-turn.ts';
import { FIRST, LAST, linesOf, makePosts } from '../support/posts.ts';
import { withFolder } from '../support/program.ts';
import { importLines, makeProfile, makeWorkspace, type Service, startService } from '../support/service.ts';
import { figure } from '../support/side-by-side.ts';
import { syncedPostgres } from '../support/synced-postgres.ts';
import { type Cells, groupByPostgres, groupBySqlite, type Scope } from './group-by.ts';

const PROFILES = 50;
const POSTS = 20_000;
const ZONE = 'Europe/Berlin';
const ROUNDS = 9;

/** Number of profiles in the small workspace. One query covers the posts of all these profiles. */
const SMALL = 5;

/** Number of posts of the profile that is queried while `/health` is monitored. */
const WATCHED = 36_500;
const CLIENTS = 10;
const HEALTH_CALLS = 200;

export const heatmap: Benchmark = {
  about:
    '`GET /v1/analytics/best_times` over a year from `postshelf serve` over either database, by the estimate and by ' +
    `\`method=average\`: of a profile with ${count(POSTS)} posts, and of workspaces with ${SMALL} and with ${PROFILES} such profiles. HTTP, token and ` +
    'JSON are included, and the plain mean has to equal a `GROUP BY` over the posts. Health: the slowest of ' +
    `${HEALTH_CALLS} answers of \`/health\` while ${CLIENTS} clients request the heatmap of a profile with ${count(WATCHED)} posts. Time ` +
    `zone: ${ZONE}.`,

  run: async (progress) => {
    const postgres = await syncedPostgres('the benchmark of heatmaps');
    const figures: Figure[] = [];
    for (const [name, use] of [
      ['SQLite', useSqlite],
      ['PostgreSQL', usePostgres(postgres)],
    ] as const) {
      for (const profiles of [SMALL, PROFILES]) {
        await use(async (service, means) => {
          progress(`${name}: importing ${count(profiles * POSTS)} posts`);
          const [first = ''] = await fill(service, profiles, POSTS);
          await means.settle();
          progress(`${name}: measuring`);
          const side = { name, service, means };
          if (profiles === SMALL) figures.push(...(await timesOf(side, 'profile', first, POSTS)));
          figures.push(...(await timesOf(side, 'workspace', service.workspace, profiles * POSTS)));
          if (profiles === SMALL) figures.push(await longestHealth(side));
        });
      }
    }
    return figures;
  },
};

/** A database that is queried directly, without the service. `of` computes the heatmap of plain means. */
interface Means {
  of(scope: Scope, id: string): Cells | Promise<Cells>;
  /** Runs the maintenance that the database starts automatically some time after a large import. */
  settle(): Promise<void>;
}

type Use = (measure: (service: Service, means: Means) => Promise<void>) => Promise<void>;

interface Side {
  readonly name: string;
  readonly service: Service;
  readonly means: Means;
}

const useSqlite: Use = (measure) =>
  withFolder(async (folder) => {
    const settings = { DATA_DIR: folder };
    const service = await startService(settings, await makeWorkspace(settings, ZONE));
    try {
      const of = (scope: Scope, id: string) => groupBySqlite(service.database, scope, id);
      await measure(service, { of, settle: async () => undefined });
    } finally {
      await service.end();
    }
  });

const usePostgres =
  (postgres: RealPostgres): Use =>
  (measure) =>
    withFolder(async (folder) => {
      const { url, remove } = await makeDatabase(postgres);
      try {
        const settings = { DATA_DIR: folder, DATABASE_URL: url };
        const service = await startService(settings, await makeWorkspace(settings, ZONE));
        try {
          const of = (scope: Scope, id: string) => groupByPostgres(url, scope, id);
          await measure(service, { of, settle: () => runSql(url, 'vacuum analyze posts') });
        } finally {
          await service.end();
        }
      } finally {
        await remove();
      }
    });

/** Creates the profiles and imports their posts, one request per profile. */
async function fill(service: Service, profiles: number, posts: number): Promise<readonly string[]> {
  const made: string[] = [];
  for (let nth = 0; nth < profiles; nth++) {
    const profile = await makeProfile(service, `Profile ${nth}`);
    made.push(profile);
    await importLines(service, linesOf(profile, makePosts(new Random(nth), 0, posts)), 'created');
  }
  return made;
}

const pathOf = (scope: Scope, id: string, method = 'estimate'): string =>
  `/analytics/best_times?${scope}=${id}&method=${method}&from=${new Date(FIRST).toISOString()}&to=${new Date(LAST).toISOString()}`;

const LIMIT = { ofMany: 1000, otherwise: 100 } as const;

async function timesOf({ name, service, means }: Side, scope: Scope, id: string, posts: number): Promise<Figure[]> {
  requireEqual(await service.get(pathOf(scope, id, 'average')), await means.of(scope, id));
  const figures: Figure[] = [];
  for (const method of ['estimate', 'average']) {
    const times: number[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const start = performance.now();
      await service.get(pathOf(scope, id, method));
      if (round > 0) times.push(performance.now() - start);
    }
    const value = posts >= 1_000_000 ? LIMIT.ofMany : LIMIT.otherwise;
    figures.push({
      ...figure(`${name}: ${scope} of ${count(posts)} posts, ${method}`, spreadOf(times), 'ms'),
      goal: { kind: 'at most', value },
    });
  }
  return figures;
}

async function longestHealth({ name, service }: Side): Promise<Figure> {
  const profile = await makeProfile(service, 'Watched');
  await importLines(service, linesOf(profile, makePosts(new Random(WATCHED), 0, WATCHED)), 'created');
  let isOver = false;
  const lanes = Array.from({ length: CLIENTS }, async () => {
    while (!isOver) await service.get(pathOf('profile', profile));
  });
  const times: number[] = [];
  for (let call = 0; call < HEALTH_CALLS; call++) {
    const start = performance.now();
    await (await fetch(`${service.root}/health`)).text();
    times.push(performance.now() - start);
  }
  isOver = true;
  await Promise.all(lanes);
  return {
    what: `${name}: longest /health during ${CLIENTS} heatmaps at once`,
    value: Math.max(...times),
    unit: 'ms',
    goal: { kind: 'at most', value: 250 },
  };
}

/**
 * Compares the service's answer with the result of the `GROUP BY` query.
 *
 * @throws Error if they differ by more than rounding
 */
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
