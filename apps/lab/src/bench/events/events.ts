import { Random, repeatConcurrently, type Settings } from '@postshelf/harness';
import { makeDatabase, runSql } from '@postshelf/testing/servers/postgres';
import Database from 'better-sqlite3';
import type { Benchmark, Figure } from '../benchmark.ts';
import { backendSeconds } from '../postgres/sides.ts';
import { MULTIPART, photoBody } from '../support/bodies.ts';
import { linesOf, makePosts } from '../support/posts.ts';
import { withPrograms } from '../support/program.ts';
import { importLines, makeProfile, type Service, send, startNewService, uploadUrl } from '../support/service.ts';
import { figure, sideBySide } from '../support/side-by-side.ts';
import { syncedPostgres } from '../support/synced-postgres.ts';

const ROUNDS = 7;
const LINES = 10_000;
const UPLOADS = 200;
const CONCURRENCY = 4;

/**
 * The minimum ratio of the speed with events to the speed without events, while no client listens. A ratio of 0.91
 * means that events add a tenth to the time of a write.
 */
const MIN_RATIO = 0.91;

const TRIGGERS = ['media', 'folders', 'posts'].flatMap((table) =>
  ['added', 'changed', 'removed'].map((change) => [table, `${table}_${change}`] as const),
);

const COVERS = ['media_cover_added', 'media_cover_removed'];

export const events: Benchmark = {
  about:
    'Writes with the outbox of events, compared with the same service over a database without the triggers of the outbox: imports ' +
    `posts, ${LINES.toLocaleString('en-US')} lines a request, and uploads photos of 100 KB, ${CONCURRENCY} at a time. The processor time of ` +
    'server and database together counts. The workspace has no listeners, or one open stream.',

  run: async (progress) => {
    const server = await syncedPostgres('the benchmark of events');
    const [one, other] = [await makeDatabase(server), await makeDatabase(server)];
    try {
      return [
        ...(await measure('SQLite', [{}, {}], progress)),
        ...(await measure('PostgreSQL', [{ DATABASE_URL: one.url }, { DATABASE_URL: other.url }], progress)),
      ];
    } finally {
      await one.remove();
      await other.remove();
    }
  },
};

function measure(
  database: string,
  [oneSettings, otherSettings]: readonly [Settings, Settings],
  progress: (line: string) => void,
): Promise<Figure[]> {
  return withPrograms(async (folder, until) => {
    const ours = await until(startNewService({ ...oneSettings, DATA_DIR: `${folder}/ours` }));
    const bare = await until(startNewService({ ...otherSettings, DATA_DIR: `${folder}/bare` }));
    await dropTriggers(bare, otherSettings.DATABASE_URL);
    const figures: Figure[] = [];
    const photo = await photoBody();
    for (const isListenedTo of [false, true]) {
      const stream = isListenedTo ? await listen(ours) : null;
      for (const [what, work] of [
        ['posts imported', importSome],
        ['photos uploaded', (service: Service) => uploadSome(service, photo)],
      ] as const) {
        progress(`${database}: ${what}${isListenedTo ? ', with a stream' : ''}`);
        const sideOf = (service: Service, url?: string) => ({
          pid: service.pid,
          ...(url !== undefined && { helperSeconds: () => backendSeconds(url) }),
          work: () => work(service),
        });
        const { byCpu } = await sideBySide(
          ROUNDS,
          sideOf(ours, oneSettings.DATABASE_URL),
          sideOf(bare, otherSettings.DATABASE_URL),
        );
        const line = `${database}, ${what}, ${isListenedTo ? 'with a stream' : 'nobody listens'}`;
        const ratio = figure(`${line}: with events ÷ without`, byCpu.ratio, 'ratio');
        figures.push(isListenedTo ? ratio : { ...ratio, goal: { kind: 'at least', value: MIN_RATIO } });
      }
      await stream?.cancel();
    }
    return figures;
  });
}

async function dropTriggers(service: Service, url: string | undefined): Promise<void> {
  if (url !== undefined) {
    for (const [table, trigger] of TRIGGERS) await runSql(url, `drop trigger ${trigger} on ${table}`);
    return;
  }
  const database = new Database(service.database);
  for (const trigger of [...TRIGGERS.map(([, name]) => name), ...COVERS]) database.exec(`drop trigger ${trigger}`);
  database.close();
}

async function importSome(service: Service): Promise<number> {
  const profile = await makeProfile(service, 'Profile');
  return importLines(service, linesOf(profile, makePosts(new Random(1), 0, LINES)), 'created');
}

async function uploadSome(service: Service, body: Uint8Array<ArrayBuffer>): Promise<number> {
  const headers = { ...service.headers, 'Content-Type': MULTIPART };
  await repeatConcurrently(CONCURRENCY, UPLOADS, () => send(uploadUrl(service), headers, body));
  return UPLOADS;
}

/** Opens a stream of events and reads it. */
async function listen({ root, workspace, headers }: Service): Promise<{ cancel(): Promise<void> }> {
  const ended = new AbortController();
  const { body } = await fetch(`${root}/v1/workspaces/${workspace}/events`, { headers, signal: ended.signal });
  const reading = (async () => {
    for await (const _ of body ?? []);
  })().catch(() => undefined);
  return {
    cancel: async () => {
      ended.abort();
      await reading;
    },
  };
}
