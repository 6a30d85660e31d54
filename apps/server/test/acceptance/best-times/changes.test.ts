import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Random } from '@postshelf/harness';
import { counts, importAll } from '../posts/support/imports.ts';
import { listPosts, type Metrics, makePost, makeProfile, metricNames, onePost } from '../posts/support/posts.ts';
import { sized } from '../support/long.ts';
import { World } from '../support/world.ts';
import { averages, expectHeatmap } from './support/best-times.ts';
import { countedPost } from './support/oracle.ts';
import { type EngagementKind, randomInstant, randomMetrics, randomRfc3339 } from './support/random-posts.ts';
import { randomWindow } from './support/windows.ts';

// packages/domain/test/best-times tests which hour a post counts in, in every zone against Temporal.
const zone = 'America/New_York';
const from = Date.parse('2025-10-20');
const to = Date.parse('2025-11-10');

/** The expected state of a post after all requests. */
interface Known {
  readonly id: string;
  readonly profile: string;
  readonly external: string | null;
  readonly at: number;
  readonly metrics: Metrics;
}

describe('the heatmap', () => {
  const random = new Random(20);
  const known = new Map<string, Known>();
  const profiles: string[] = [];
  let world: World;
  let nextExternal = 0;

  beforeAll(async () => {
    world = await World.open({}, ['--timezone', zone]);
    for (let nth = 0; nth < 3; nth++) profiles.push(await makeProfile(world, `Shop ${nth}`));
  });

  afterAll(() => world.close());

  const instant = () => randomInstant(random, zone, from, to);
  const kind = () => random.pick<EngagementKind>(['usual', 'usual', 'silent', 'rarely heard']);

  async function create(): Promise<void> {
    const profile = random.pick(profiles);
    const [at, metrics] = [instant(), randomMetrics(random, kind())];
    const published_at = randomRfc3339(random, at);
    const { id } = await makePost(world, { profile, published_at, metrics });
    known.set(id, { id, profile, external: null, at, metrics });
  }

  async function measure(): Promise<void> {
    if (known.size === 0) return;
    const post = random.pick([...known.values()]);
    const fresh = randomMetrics(random, kind());
    const names = metricNames.filter(() => random.chance(0.5));
    const json = Object.fromEntries((names.length === 0 ? metricNames : names).map((name) => [name, fresh[name]]));
    const metrics = { ...post.metrics, ...json };
    expect(onePost(await world.call(`PUT /posts/${post.id}/metrics`, { json }), 200).metrics).toEqual(metrics);
    known.set(post.id, { ...post, metrics });
  }

  async function move(): Promise<void> {
    if (known.size === 0) return;
    const post = random.pick([...known.values()]);
    const at = instant();
    onePost(await world.call(`PATCH /posts/${post.id}`, { json: { published_at: randomRfc3339(random, at) } }), 200);
    known.set(post.id, { ...post, at });
  }

  async function remove(): Promise<void> {
    if (known.size === 0) return;
    const { id } = random.pick([...known.values()]);
    expect((await world.call(`DELETE /posts/${id}`)).status).toBe(204);
    known.delete(id);
  }

  /** New posts, posts that move to another time, posts with other metrics, and posts that stay as they are. */
  async function importSome(): Promise<void> {
    const old = [...known.values()].filter((post) => post.external !== null && random.chance(0.2));
    const lines = old.map((post) => {
      const moved = random.chance(0.4) ? { ...post, at: instant() } : post;
      return random.chance(0.6) ? { ...moved, metrics: randomMetrics(random, kind()) } : moved;
    });
    const fresh = Array.from({ length: random.whole(1, 12) }, () => {
      const external = `external ${nextExternal++}`;
      return { profile: random.pick(profiles), external, at: instant(), metrics: randomMetrics(random, kind()) };
    });
    const body = [...lines, ...fresh].map(({ profile, external, at, metrics }) =>
      JSON.stringify({ profile, external_id: external, published_at: randomRfc3339(random, at), metrics }),
    );
    const answer = await importAll(world, body.join('\n'));
    expect(counts(answer)).toMatchObject({ lines: body.length, created: fresh.length, rejected: 0 });
    for (const post of lines) known.set(post.id, post);
    for (const { id, external_id } of await listPosts(world)) {
      const post = fresh.find((one) => one.external === external_id);
      if (post !== undefined) known.set(id, { id, ...post });
    }
  }

  async function expectAllRight(windows = 3): Promise<void> {
    const posts = [...known.values()].map(({ profile, at, metrics }) => countedPost(zone, profile, at, metrics));
    for (let nth = 0; nth < windows; nth++) {
      const { from: start, to: end, holds } = randomWindow(random, zone, from, to);
      const query = { from: start, to: end };
      expectHeatmap(await averages(world, { workspace: '{workspace}', ...query }), posts.filter(holds));
      for (const profile of profiles) {
        const own = posts.filter((post) => post.profile === profile && holds(post));
        expectHeatmap(await averages(world, { profile, ...query }), own);
      }
    }
  }

  const steps = [create, create, measure, move, remove, importSome];

  test('is right after any sequence of creations, imports, new metrics, new times and deletions', async () => {
    for (let nth = 0; nth < sized(40, 300); nth++) {
      await random.pick(steps)();
      if (nth % 10 === 9) await expectAllRight();
    }
    expect(known.size).toBeGreaterThan(10);
  });

  test('is right after such a sequence and kill -9', async () => {
    await world.server.end('SIGKILL');
    await world.restart();
    await expectAllRight();
  });
});
