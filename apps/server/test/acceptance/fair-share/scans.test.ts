import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { figures } from '../operate/support/figures.ts';
import { importAll, line } from '../posts/support/imports.ts';
import { makeProfile } from '../posts/support/posts.ts';
import * as fixtures from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { arrayAt, at, type Reply } from '../support/reply.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';

const CALLS = 50;

let world: World;

beforeAll(async () => {
  world = await World.open();
  world.ids.profile = await makeProfile(world, 'Beach club');
  for (const name of ['beach.png', 'Strand.png', 'film.png']) await world.store(file(name, fixtures.png()));
  const lines = Array.from({ length: 500 }, (_, nth) =>
    line(world, { external_id: `${nth}`, published_at: new Date(Date.UTC(2020, 0, nth)).toISOString() }),
  );
  await importAll(world, lines.join('\n'));
});

afterAll(() => world.close());

/** Calls a procedure with each of the inputs, in one request. */
function batch(procedure: string, inputs: readonly object[]): Promise<Reply> {
  const names = inputs.map(() => procedure).join(',');
  const input = JSON.stringify(world.fill(Object.fromEntries(inputs.entries())));
  return world.call(`GET /trpc/${names}?batch=1&input=${encodeURIComponent(input)}`);
}

const scansNow = async (): Promise<number> => {
  const all = await figures(world);
  return ['in_use', 'waiting'].reduce((sum, state) => sum + (all.get(`postshelf_work_${state}{kind="scans"}`) ?? 0), 0);
};

describe('searches and reports', () => {
  test('are all answered in a batch of as many searches as allowed', async () => {
    const needles = ['beach', 'STRAND', 'film', 'nothing', '%'];
    const found = [1, 1, 1, 0, 0];
    const inputs = Array.from({ length: CALLS }, (_, nth) => ({ workspace: '{workspace}', search: needles[nth % 5] }));
    const reply = await batch('media.list', inputs);
    expect(reply.status).toBe(200);
    const totals = Array.from(inputs.keys(), (nth) => at(reply.json, `${nth}`, 'result', 'data', 'meta', 'total'));
    expect(totals).toEqual(inputs.map((_, nth) => found[nth % 5]));
  });

  test('are all answered equally in a batch of equal reports over all time', async () => {
    const input = { workspace: '{workspace}', from: '1970-01-01', to: '9999-12-31' };
    const reply = await batch(
      'analytics.bestTimes',
      Array.from({ length: CALLS }, () => input),
    );
    expect(reply.status).toBe(200);
    const answers = Array.from({ length: CALLS }, (_, nth) => at(reply.json, `${nth}`, 'result', 'data'));
    expect(at(answers[0], 'meta', 'posts')).toBe(500);
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });

  test('end when they are aborted, and do not delay other requests', async () => {
    const path = world.fill('/v1/workspaces/{workspace}/media_contents?search=beach');
    const headers = { authorization: `Bearer ${world.tokens.all}` };
    const given = Array.from({ length: 30 }, async () => {
      const controller = new AbortController();
      const asked = fetch(`${world.server.url}${path}`, { headers, signal: controller.signal }).catch(() => null);
      controller.abort();
      await asked;
    });
    await Promise.all(given);
    await until('no search is under way', async () => (await scansNow()) === 0);
    const reply = await world.call('GET /workspaces/{workspace}/media_contents?search=beach');
    expect(arrayAt(reply.json, 'data')).toHaveLength(1);
  });
});

describe('JSON with 80,000 names', () => {
  const costly = (fields: object) => ({
    ...fields,
    ...Object.fromEntries(Array.from({ length: 80_000 }, (_, nth) => [`k${nth}`, 1])),
  });
  const message = 'The request body must be JSON with at most 11000 names and values.';

  test('is rejected with 400 as a request body, over REST and tRPC', async () => {
    const json = costly({ name: 'Holidays' });
    const rest = await world.call('POST /workspaces/{workspace}/media_library/folders', { json });
    expect([rest.status, at(rest.json, 'message')]).toEqual([400, message]);
    const trpc = await world.call('POST /trpc/folders.create', { json: { ...json, workspace: '{workspace}' } });
    expect([trpc.status, at(trpc.json, 'message')]).toEqual([400, message]);
  });

  test('is rejected as a line of an import, while the other lines are imported', async () => {
    const lines = [line(world, { external_id: 'a' }), line(world, costly({ external_id: 'b' }))];
    const answer = await importAll(world, [...lines, line(world, { external_id: 'c' })].join('\n'));
    expect(answer).toMatchObject({ lines: 3, created: 2, rejected: 1 });
    expect(answer.rejections).toEqual([
      {
        line: 2,
        message: 'The line must be JSON with at most 11000 names and values.',
        errors: { line: ['The line must be JSON with at most 11000 names and values.'] },
      },
    ]);
  });
});
