import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Random } from '@postshelf/harness';
import { counts, importAll, openImport } from '../posts/support/imports.ts';
import { listPosts, makePost, makeProfile, postCount } from '../posts/support/posts.ts';
import { sized } from '../support/long.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { averages, expectHeatmap } from './support/best-times.ts';
import { type CountedPost, countedPost } from './support/oracle.ts';
import { engagementKinds, lineOf, type RandomPost, randomInstant, randomMetrics } from './support/random-posts.ts';

const zone = 'Australia/Lord_Howe';
const [from, to] = [Date.parse('2025-03-01'), Date.parse('2025-11-01')];
const total = sized(2_000, 20_000);

let world: World;

beforeAll(async () => {
  world = await World.open({}, ['--timezone', zone]);
});

afterAll(() => world.close());

/** Makes a file to import into a new profile. The same seed generates the same posts. */
async function makeFile(seed: number) {
  const profile = await makeProfile(world, `File ${seed}`);
  const random = new Random(seed);
  const posts = Array.from({ length: total }, (_, nth): RandomPost => {
    const metrics = randomMetrics(random, random.pick(engagementKinds));
    return { profile, external_id: `${nth}`, at: randomInstant(random, zone, from, to), metrics };
  });
  const body = posts.map((post) => `${lineOf(random, post)}\n`);
  const all = posts.map((post) => countedPost(zone, profile, post.at, post.metrics));
  return { profile, body, all };
}

/** The posts that the server lists, with the fields on which the heatmap depends. */
async function listed(profile: string): Promise<CountedPost[]> {
  const found = await listPosts(world, `profile=${profile}`);
  return found.map((post) => countedPost(zone, post.profile, Date.parse(post.published_at), post.metrics));
}

const everything = { from: '2025-01-01', to: '2026-01-01' };

async function expectMap(profile: string, posts: readonly CountedPost[]): Promise<void> {
  expectHeatmap(await averages(world, { profile, ...everything }), posts);
  // Both ends of the window are in the middle of an hour.
  const [start, end] = ['2025-04-05T14:59:59.999Z', '2025-10-04T15:30:00.001Z'];
  const inside = posts.filter((post) => post.at >= Date.parse(start) && post.at <= Date.parse(end));
  expectHeatmap(await averages(world, { profile, from: start, to: end }), inside);
}

const repeats = (answer: Parameters<typeof counts>[0], there: number) =>
  expect(counts(answer)).toEqual({ lines: total, created: total - there, updated: 0, unchanged: there, rejected: 0 });

/** Sends the first half of a file and waits until some of its posts are listed. */
async function sendHalf(profile: string, body: readonly string[]) {
  const whole = body.join('');
  const connection = await openImport(world, whole.length);
  const before = await postCount(world);
  // The first half ends in the middle of a line.
  await connection.send(whole.slice(0, whole.length / 2 + 20));
  await until('some lines are imported', async () => (await postCount(world)) > before);
  return { connection, profile };
}

describe('a server after kill -9', () => {
  for (const seed of sized([2], [2, 3, 4])) {
    test(`keeps the stored posts of an unfinished import, which can be repeated (seed ${seed})`, async () => {
      const { profile, body, all } = await makeFile(seed);
      const { connection } = await sendHalf(profile, body);
      await world.server.end('SIGKILL');
      connection.hangUp();
      await world.restart();
      const there = await listed(profile);
      expect(there.length).toBeGreaterThan(0);
      await expectMap(profile, there);
      repeats(await importAll(world, body.join('')), there.length);
      await expectMap(profile, all);
    });
  }

  test('has a heatmap that matches its posts if an import was updating them', async () => {
    const { profile, body, all } = await makeFile(5);
    await importAll(world, body.join(''));
    const newer = body.map((one) => one.replace(/"likes":\d+/, '"likes":77')).join('');
    const connection = await openImport(world, newer.length);
    const first = await averages(world, { profile, ...everything });
    expectHeatmap(first, all);
    await connection.send(newer.slice(0, newer.length / 2));
    await until('some posts are brought up to date', async () => {
      const now = await averages(world, { profile, ...everything });
      return JSON.stringify(now) !== JSON.stringify(first);
    });
    await world.server.end('SIGKILL');
    connection.hangUp();
    await world.restart();
    await expectMap(profile, await listed(profile));
    expect(counts(await importAll(world, newer))).toMatchObject({ created: 0, rejected: 0 });
    await expectMap(profile, await listed(profile));
  });

  test('keeps changes that it had answered with 200 or 201', async () => {
    const profile = await makeProfile(world, 'Answered');
    const made = await makePost(world, { profile, metrics: { likes: 3 }, published_at: '2025-05-01T00:00:00Z' });
    const answer = await importAll(
      world,
      JSON.stringify({ profile, external_id: 'x', published_at: '2025-05-02T00:00:00Z', metrics: { likes: 9 } }),
    );
    await world.server.end('SIGKILL');
    expect(answer.created).toBe(1);
    await world.restart();
    const posts = await listed(profile);
    expect(posts.map((post) => post.engagement)).toEqual([9, 3]);
    expect((await world.call(`GET /posts/${made.id}`)).status).toBe(200);
    await expectMap(profile, posts);
  });
});
