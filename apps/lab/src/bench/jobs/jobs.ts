import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openSqlite } from '@postshelf/database';
import { openPostgres } from '@postshelf/database/postgres';
import { makeDatabase, type RealPostgres } from '@postshelf/testing/servers/postgres';
import type { Benchmark, Figure } from '../benchmark.ts';
import { spreadOf } from '../in-turn.ts';
import { syncedPostgres } from '../support/synced-postgres.ts';
import { FAR, fillPostgres, fillSqlite, KIND, type Waiting } from './fill.ts';

const JOBS = 100_000;
const WORKSPACES = 1000;
const PER_WORKSPACE = 2;
const WARM_UP = 50;
const CLAIMS = 1000;
/** Maximum milliseconds that a claim may take. */
const GOAL = 2;

const CASES: readonly (readonly [what: string, waiting: Waiting])[] = [
  ['one workspace', { jobs: JOBS, workspaces: 1, leases: 0 }],
  ['1,000 workspaces', { jobs: JOBS, workspaces: WORKSPACES, leases: 0 }],
  ['1,000 workspaces, another at its limit', { jobs: JOBS, workspaces: WORKSPACES, leases: PER_WORKSPACE }],
];

export const jobs: Benchmark = {
  about:
    `Claims and completes one job at a time, ${CLAIMS.toLocaleString('en-US')} times, while ${JOBS.toLocaleString('en-US')} jobs wait in ` +
    'the queue. The fastest and the slowest percent of the times are left out.',

  run: async (progress) => {
    const server = await syncedPostgres('the benchmark of jobs');
    const figures: Figure[] = [];
    for (const [what, waiting] of CASES) {
      progress(`SQLite: ${what}`);
      figures.push(...(await overSqlite(waiting, (database) => measure(`SQLite, ${what}`, database))));
      progress(`PostgreSQL: ${what}`);
      figures.push(...(await overPostgres(server, waiting, (database) => measure(`PostgreSQL, ${what}`, database))));
    }
    return figures;
  },
};

type Measure = (database: Database) => Promise<readonly Figure[]>;

async function overSqlite(waiting: Waiting, run: Measure): Promise<readonly Figure[]> {
  // The folder is on a disk instead of in memory, because the measured commits should wait for a disk.
  const folder = await mkdtemp(join(tmpdir(), 'postshelf-bench-'));
  try {
    const file = join(folder, 'postshelf.db');
    await withDatabase(openSqlite(file), (database) => database.migrate());
    fillSqlite(file, waiting);
    return await withDatabase(openSqlite(file), run);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function overPostgres(server: RealPostgres, waiting: Waiting, run: Measure): Promise<readonly Figure[]> {
  const { url, remove } = await makeDatabase(server);
  try {
    await withDatabase(openPostgres(url), (database) => database.migrate());
    await fillPostgres(url, waiting);
    return await withDatabase(openPostgres(url), run);
  } finally {
    await remove();
  }
}

async function withDatabase<T>(opening: Promise<Database>, use: (database: Database) => Promise<T>): Promise<T> {
  const database = await opening;
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}

async function measure(what: string, { jobs: queue }: Database): Promise<readonly Figure[]> {
  const times = { claim: [] as number[], complete: [] as number[] };
  const lease = { owner: 'worker', until: FAR };
  const request = { kind: KIND, rules: { batch: 1, order: 'oldest' }, lease, without: [] } as const;
  for (let n = 0; n < WARM_UP + CLAIMS; n += 1) {
    const start = performance.now();
    const [job] = await queue.claim({ ...request, now: Date.now(), perWorkspace: PER_WORKSPACE });
    const claimed = performance.now();
    if (!job) throw new Error('There is no job, though many wait.');
    await queue.complete(job, lease.owner);
    const completed = performance.now();
    if (n < WARM_UP) continue;
    times.claim.push(claimed - start);
    times.complete.push(completed - claimed);
  }
  return [
    { ...figureOf(`${what}: a claim`, times.claim), goal: { kind: 'at most', value: GOAL } },
    figureOf(`${what}: its end`, times.complete),
  ];
}

/**
 * Returns a line of the table for these times. The fastest and the slowest hundredth are omitted, because the slowest
 * times are mostly due to other programs that use the processor.
 */
function figureOf(what: string, times: readonly number[]): Figure {
  const sorted = times.toSorted((a, b) => a - b);
  const edge = Math.floor(sorted.length / 100);
  const { median, lowest, highest } = spreadOf(sorted.slice(edge, sorted.length - edge));
  return { what, value: median, unit: 'ms', spread: [lowest, highest] };
}
