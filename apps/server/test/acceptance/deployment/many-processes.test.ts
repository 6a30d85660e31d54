import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { makeDatabase, type RealPostgres, realPostgres } from '@postshelf/testing/servers/postgres';
import { bucketContents, clientOf, makeBucket, type RealS3, realS3 } from '@postshelf/testing/servers/s3';
import { serve, status } from '../imports/support/answers.ts';
import { movie } from '../imports/support/files.ts';
import { importUrl, loopback } from '../imports/support/imports.ts';
import { Origin } from '../imports/support/origin.ts';
import { startWorker, type Worker } from '../imports/support/processes.ts';
import { sized } from '../support/long.ts';
import { arrayAt, at } from '../support/reply.ts';
import type { Server } from '../support/server.ts';
import { type MediaItem, mediaItem, mediaItems } from '../support/shapes.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';

const skipped = 'many processes over PostgreSQL and S3';
const [postgres, s3] = [await realPostgres(skipped), await realS3(skipped)];

const IMPORTS = sized(36, 500);
/**
 * A worker is killed each time the number of ended imports reaches one of these values. At the second value the
 * database is also restarted.
 */
const KILLS = sized([6, 14, 24], [30, 80, 130, 180]);
/** Whether the origin has no file for the import with this number. This is so for every tenth import. */
const isMissing = (number: number): boolean => number % 10 === 9;

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(Math.random() * from.length)];

describe.skipIf(!postgres || !s3)('two servers and two workers with PostgreSQL and S3', () => {
  const database = postgres as RealPostgres;
  const store = s3 as RealS3;
  const cleanUps: (() => Promise<unknown> | unknown)[] = [];
  let world: World;
  let servers: readonly Server[];
  let origin: Origin;
  let bucket: string;
  let refused = 0;
  const workers: Worker[] = [];

  beforeAll(async () => {
    const own = await makeDatabase(database);
    const made = await makeBucket(store);
    bucket = made.bucket;
    cleanUps.push(own.remove, made.remove);
    world = await World.openWithoutWorker({
      ...loopback,
      IMPORT_CONCURRENCY: '10',
      DATABASE_URL: own.url,
      S3_BUCKET: bucket,
      S3_ENDPOINT: store.endpoint,
      S3_REGION: store.region,
      S3_ACCESS_KEY_ID: store.credentials.accessKeyId,
      S3_SECRET_ACCESS_KEY: store.credentials.secretAccessKey,
      S3_FORCE_PATH_STYLE: String(store.forcePathStyle),
      // The test is about bytes and rows, and ffmpeg would need a minute for covers.
      FFMPEG_PATH: '/nowhere/ffmpeg',
    });
    cleanUps.push(() => world.close());
    const second = await world.startAnother(['serve', '--no-worker']);
    cleanUps.push(() => second.end());
    servers = [world.server, second];
    origin = await Origin.open();
    cleanUps.push(() => origin.close());
  });

  afterAll(async () => {
    for (const worker of workers) await worker.end('SIGKILL');
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
  });

  const start = async (): Promise<void> => void workers.push(await startWorker(world.server));

  /** Requests an import from a random server until it is accepted. While the database restarts, the answer is 503. */
  async function importBy(url: string): Promise<string> {
    for (;;) {
      const own = world.server;
      world.server = pick(servers) ?? own;
      const answer = importUrl(world, url);
      world.server = own;
      const reply = await answer;
      if (reply.status === 202) return mediaItems(reply)[0]?.id ?? '';
      expect(reply.status).toBe(503);
      refused += 1;
      await Bun.sleep(50);
    }
  }

  async function totalOf(status: string): Promise<number> {
    const reply = await world.call(`GET /workspaces/{workspace}/media_contents?per_page=1&status=${status}`);
    if (reply.status !== 200) expect(reply.status).toBe(503);
    return reply.status === 200 ? Number(at(reply.json, 'meta', 'total')) : Number.NaN;
  }

  async function everyItem(): Promise<MediaItem[]> {
    const items: MediaItem[] = [];
    for (let page = 1; ; page += 1) {
      const reply = await world.call(`GET /workspaces/{workspace}/media_contents?per_page=100&page=${page}`);
      items.push(...arrayAt(reply.json, 'data').map(mediaItem));
      if (page >= Number(at(reply.json, 'meta', 'last_page'))) return items;
    }
  }

  test('import each file once despite killed workers and a restarted database', async () => {
    await Promise.all([start(), start()]);
    const videos = Array.from({ length: IMPORTS }, (_, number) => movie(20_000 + number, number));
    const pages = videos.map((bytes, number) =>
      origin.page(`${number}.mp4`, isMissing(number) ? status(404) : serve(bytes)),
    );
    const ids = new Map<string, number>();
    const waiting = [...pages.entries()];
    const client = async (): Promise<void> => {
      for (let next = waiting.pop(); next; next = waiting.pop()) ids.set(await importBy(next[1].url), next[0]);
    };
    const asking = Promise.all(Array.from({ length: 8 }, client));

    const done = async (): Promise<number> => (await totalOf('active')) + (await totalOf('failed'));
    // The time of each kill depends on the progress, so that it always interrupts work.
    for (const [index, progress] of KILLS.entries()) {
      await until(`${progress} imports have ended`, async () => (await done()) >= progress, 120_000);
      const [worker] = workers.splice(Math.floor(Math.random() * workers.length), 1);
      await worker?.end('SIGKILL');
      await start();
      if (index === 1) await database.server?.restart();
    }
    await asking;
    expect(ids.size).toBe(IMPORTS);
    await until('every import has ended', async () => (await totalOf('processing')) === 0, 150_000);
    await world.run(['gc']);

    const items = await everyItem();
    const keys = items.filter((item) => item.status === 'active').map((item) => item.full_name);
    // If the database stops during a request, the answer is 503, but the import may have been stored. Such imports
    // aren't in `ids`.
    const answered = items.filter(({ id }) => ids.has(id));
    expect(answered).toHaveLength(IMPORTS);
    expect(items.length - IMPORTS).toBeLessThanOrEqual(refused);
    for (const { id, status: state, link } of answered) {
      const number = ids.get(id) ?? Number.NaN;
      expect([number, state]).toEqual([number, isMissing(number) ? 'failed' : 'active']);
      if (state !== 'active') continue;
      const response = await fetch(link);
      expect(sha256(await response.bytes())).toBe(sha256(videos[number] ?? new Uint8Array()));
    }
    const s3Client = clientOf(store);
    const { objects } = await bucketContents(s3Client, bucket);
    s3Client.destroy();
    // Staged files of killed workers may remain, because they are removed only when they are a day old.
    const published = objects.filter((key) => !key.startsWith('.'));
    expect(published.toSorted()).toEqual(keys.toSorted());
  });
});
