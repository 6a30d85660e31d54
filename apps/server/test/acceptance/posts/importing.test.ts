import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { png } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { at } from '../support/reply.ts';
import { within } from '../support/until.ts';
import { World } from '../support/world.ts';
import { counts, importAll, importBody, imported, line, openImport, sendChunk } from './support/imports.ts';
import { listPosts, makeProfile, noMetrics, type PostResource } from './support/posts.ts';

let world: World;

beforeAll(async () => {
  world = await World.open({}, ['--timezone', 'Asia/Kathmandu']);
  world.ids.picture = (await world.storeOne(file('one.png', png()))).id;
  world.ids.other = (await world.storeOne(file('two.png', png()))).id;
});

/** Each test uses a new profile, in which no external id is taken. */
beforeEach(async () => {
  world.ids.profile = await makeProfile(world);
});

afterAll(() => world.close());

/** The posts of the test's profile by their external ids. */
async function storedPosts(): Promise<ReadonlyMap<string | null, PostResource>> {
  const posts = await listPosts(world, `profile=${world.ids.profile}`);
  return new Map(posts.map((post) => [post.external_id, post]));
}

const none = { lines: 0, created: 0, updated: 0, unchanged: 0, rejected: 0 };

describe('an import of posts', () => {
  test('creates posts with all fields, and with only the required ones', async () => {
    const whole = {
      external_id: 'whole',
      published_at: '2026-01-02T08:49:05.678+05:45',
      text: 'Sea, sun 🌊',
      media_content_ids: ['{other}', '{picture}'],
      metrics: { impressions: 1, likes: 2, comments: 3, shares: 4, saves: 5, clicks: 6 },
    };
    const local = line(world, { external_id: 'local', published_at: '2026-01-02T08:49' });
    const body = `${line(world, whole)}\n${line(world, { external_id: 'bare' })}\n${local}\n`;
    expect(await importAll(world, body)).toEqual({ ...none, lines: 3, created: 3, rejections: [] });
    const posts = await storedPosts();
    expect(posts.get('whole')).toMatchObject(world.fill({ ...whole, published_at: '2026-01-02T03:04:05.678Z' }));
    expect(posts.get('local')?.published_at).toBe('2026-01-02T03:04:00.000Z');
    expect(posts.get('bare')).toMatchObject({ text: null, media_content_ids: [], metrics: noMetrics });
  });

  test.each(['application/ndjson', 'application/jsonl', 'Application/X-NDJSON; charset=utf-8'])(
    'accepts the Content-Type %s',
    async (type) => {
      const headers = { 'content-type': type };
      expect(imported(await importBody(world, line(world, { external_id: 'typed' }), { headers })).created).toBe(1);
    },
  );

  test('refuses the Content-Type application/json with 415', async () => {
    const reply = await importBody(world, '{}', { headers: { 'content-type': 'application/json' } });
    expect(reply.status).toBe(415);
  });

  // packages/api/test/body/ndjson.test.ts tests how lines are split.
  test('accepts CRLF and blank lines', async () => {
    const lines = ['a', 'b', 'c'].map((external_id) => line(world, { external_id }));
    const answer = await importAll(world, `\n\n${lines.join('\n\r\n \t\n\n')}\n\n\n`);
    expect(counts(answer)).toEqual({ ...none, lines: 3, created: 3 });
  });

  test('does not count blank lines, even two megabytes of them', async () => {
    for (const body of ['\n \n\r\n\t\n', '\n'.repeat(2_000_000)]) {
      expect(await importAll(world, body)).toEqual({ ...none, rejections: [] });
    }
  });

  test('accepts a body that arrives byte by byte, with split characters and line ends', async () => {
    const texts = ['héllo 🌊', '日本語', 'ends with a backslash \\', '"quoted"'];
    const body = Buffer.from(texts.map((text, nth) => line(world, { external_id: `${nth}`, text })).join('\r\n'));
    const connection = await openImport(world, 'chunked');
    for (let offset = 0; offset < body.length; offset++) await sendChunk(connection, body.subarray(offset, offset + 1));
    await connection.send('0\r\n\r\n');
    const reply = await within('the answer', connection.reply);
    connection.hangUp();
    expect(at(reply?.json, 'data', 'created')).toBe(texts.length);
    const posts = await storedPosts();
    expect(texts.map((_, nth) => posts.get(`${nth}`)?.text ?? null)).toEqual(texts);
  });
});

describe('a line with a known profile and external_id', () => {
  const first = {
    external_id: 'one',
    text: 'First',
    media_content_ids: ['{picture}'],
    metrics: { impressions: 1, likes: 2, comments: 3, shares: 4, saves: 5, clicks: 6 },
  };

  test('changes nothing if the fields are the same', async () => {
    const body = [first, { external_id: 'two' }].map((fields) => line(world, fields)).join('\n');
    await importAll(world, body);
    const before = await storedPosts();
    for (let time = 0; time < 2; time++) {
      expect(counts(await importAll(world, body))).toEqual({ ...none, lines: 2, unchanged: 2 });
      expect(await storedPosts()).toEqual(before);
    }
  });

  test('replaces the given fields of its post, and keeps the others', async () => {
    await importAll(world, line(world, first));
    const change = { media_content_ids: ['{other}', '{picture}'], metrics: { likes: 20 } };
    const body = line(world, { external_id: 'one', ...change, metrics: { likes: 20, saves: null } });
    expect(counts(await importAll(world, body))).toEqual({ ...none, lines: 1, updated: 1 });
    const kept = { ...first, ...change, metrics: { ...first.metrics, likes: 20 } };
    expect((await storedPosts()).get('one')).toMatchObject(world.fill(kept));
    expect(counts(await importAll(world, body))).toEqual({ ...none, lines: 1, unchanged: 1 });
  });

  test('updates the post of an earlier line in the same body', async () => {
    const lines = [1, 2, 2].map((likes) => line(world, { external_id: 'twice', metrics: { likes } }));
    const answer = await importAll(world, lines.join('\n'));
    expect(counts(answer)).toEqual({ ...none, lines: 3, created: 1, updated: 1, unchanged: 1 });
    expect((await storedPosts()).get('twice')?.metrics.likes).toBe(2);
  });
});

describe('a rejected line', () => {
  test('is reported with all failing fields and a line number that counts blank lines', async () => {
    const body = [
      '',
      line(world, { external_id: 'fine' }),
      line(world, { external_id: 'x'.repeat(256), profile: '{unknown}', published_at: 'x', metrics: { likes: -1 } }),
      '',
      line(world, {}),
      line(world, { external_id: null }),
      '{"external_id": "bare"}',
      line(world, { external_id: 'fine too' }),
    ];
    const answer = await importAll(world, body.join('\n'));
    expect(counts(answer)).toEqual({ ...none, lines: 6, created: 2, rejected: 4 });
    expect(answer.rejections.map((one) => [one.line, Object.keys(one.errors).sort()])).toEqual([
      [3, ['external_id', 'metrics.likes', 'profile', 'published_at']],
      [5, ['external_id']],
      [6, ['external_id']],
      [7, ['profile', 'published_at']],
    ]);
    expect(answer.rejections[0]?.message).toMatch(/ \(and 3 more errors\)$/);
    expect(answer.rejections[1]?.message).toBe('The external id field is required.');
  });

  const notAnObject: readonly [string, string | Uint8Array][] = [
    ['text that is not JSON', 'hello'],
    ['invalid UTF-8', Buffer.from('7b2261223a22ff227d', 'hex')],
  ];
  for (const [name, bad] of notAnObject) {
    test(`does not affect the lines before and after it: ${name}`, async () => {
      const around = ['before', 'after'].map((external_id) => line(world, { external_id }));
      const bytes = Buffer.from(bad as Uint8Array).filter((byte) => byte !== 0x0a);
      const body = Buffer.concat([Buffer.from(`${around[0]}\n`), bytes, Buffer.from(`\n${around[1]}`)]);
      const answer = await importAll(world, body);
      expect(counts(answer)).toEqual({ ...none, lines: 3, created: 2, rejected: 1 });
      expect(answer.rejections[0]?.line).toBe(2);
      expect(Object.keys(answer.rejections[0]?.errors ?? {})).toEqual(['line']);
    });
  }

  test('keeps the answer small even with ten thousand invalid media ids', async () => {
    const wrong = Array.from({ length: 10_000 }, (_, nth) => nth);
    const body = line(world, { external_id: 'x', media_content_ids: wrong });
    const reply = await importBody(world, Array.from({ length: 100 }, () => body).join('\n'));
    expect(imported(reply).rejected).toBe(100);
    expect(reply.bytes.length).toBeLessThan(10 * 1024 * 1024);
  });
});
