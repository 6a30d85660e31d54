import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { openRaw } from '../support/raw.ts';
import { expectErrorShape } from '../support/reply.ts';
import { within } from '../support/until.ts';
import { World } from '../support/world.ts';
import { counts, importAll, line, openImport, sendImport } from './support/imports.ts';
import { listPosts, makeProfile, noMetrics, postCount } from './support/posts.ts';

let world: World;

beforeAll(async () => {
  world = await World.open();
});

beforeEach(async () => {
  world.ids.profile = await makeProfile(world);
});

afterAll(() => world.close());

const megabyte = 1024 * 1024;

/** The line after a hostile one. This line must always be accepted. */
const next = () => line(world, { external_id: 'next' });

async function expectNextAccepted(): Promise<void> {
  const posts = await listPosts(world, `profile=${world.ids.profile}`);
  expect(posts.map((post) => post.external_id)).toContain('next');
  expect((await world.call('GET /health')).status).toBe(200);
}

describe('a line of an import', () => {
  /** A line of exactly the given number of bytes, most of them in an unknown field. */
  function padded(bytes: number): string {
    const bare = line(world, { external_id: 'padded', padding: '' });
    return bare.replace('"padding":""', `"padding":"${'x'.repeat(bytes - bare.length)}"`);
  }

  test('is accepted with exactly 1 MB', async () => {
    expect(counts(await importAll(world, `${padded(megabyte)}\n${next()}`))).toMatchObject({ created: 2 });
  });

  test('is rejected with a byte more than 1 MB, and the next line is accepted', async () => {
    const answer = await importAll(world, `${padded(megabyte + 1)}\n${next()}`);
    expect(counts(answer)).toMatchObject({ lines: 2, created: 1, rejected: 1 });
    expect(answer.rejections[0]).toMatchObject({ line: 1, errors: { line: [expect.any(String)] } });
    await expectNextAccepted();
  });

  test('may have the longest text, even if every character is escaped', async () => {
    const escaped = '\\ud83c\\udf0a'.repeat(65_535);
    const body = line(world, { external_id: 'next', text: '' }).replace('"text":""', `"text":"${escaped}"`);
    expect((await importAll(world, body)).created).toBe(1);
    const [post] = await listPosts(world, `profile=${world.ids.profile}`);
    const whole = await world.call(`GET /posts/${post?.id}`);
    expect(whole.json).toMatchObject({ data: { text: '🌊'.repeat(65_535) } });
  });
});

describe('a line that attacks the parser', () => {
  const nested = (depth: number, open: string, close: string) => `${open.repeat(depth)}1${close.repeat(depth)}`;
  /** Row: a description, and the hostile line. */
  const rows: readonly [string, () => string][] = [
    ['arrays nested a hundred thousand deep', () => nested(100_000, '[', ']')],
    [
      'a deeply nested unknown field',
      () => line(world, { external_id: 'x', deep: 0 }).replace('"deep":0', `"deep":${nested(50_000, '[', ']')}`),
    ],
    [
      'deeply nested metrics',
      () =>
        line(world, { external_id: 'x', metrics: 0 }).replace(
          '"metrics":0',
          `"metrics":${nested(50_000, '{"likes":', '}')}`,
        ),
    ],
    [
      'fifty thousand fields',
      () => JSON.stringify(Object.fromEntries(Array.from({ length: 50_000 }, (_, nth) => [`f${nth}`, 0]))),
    ],
    ['Unicode line separators in a text', () => line(world, { external_id: 'x', text: 'a\u2028b\u2029c\u0085d' })],
    ['a lone surrogate in the external_id', () => line(world, { external_id: 'a\ud800b' })],
  ];
  for (const [name, hostile] of rows) {
    test(`does not affect the server or the next line: ${name}`, async () => {
      const answer = await importAll(world, `${hostile()}\n${next()}`);
      expect(answer.lines).toBe(2);
      expect(answer.created + answer.rejected).toBe(2);
      expect(answer.rejections.every((one) => one.line === 1)).toBe(true);
      await expectNextAccepted();
      // Importing the line again must find the post that it created, so `external_id` must be looked up in its stored
      // form.
      const again = await importAll(world, `${hostile()}\n${next()}`);
      expect(counts(again)).toMatchObject({ created: 0, updated: 0, unchanged: answer.created });
    });
  }

  test('sets neither fields nor metrics from __proto__', async () => {
    const fields = line(world, { external_id: 'x' });
    const polluted = `{"__proto__":${fields}}`;
    const metrics = line(world, { external_id: 'y', metrics: 0 }).replace(
      '"metrics":0',
      '"metrics":{"__proto__":{"likes":7}}',
    );
    const answer = await importAll(world, `${polluted}\n${metrics}\n${next()}`);
    expect(counts(answer)).toMatchObject({ created: 2, rejected: 1 });
    expect(Object.keys(answer.rejections[0]?.errors ?? {}).sort()).toEqual(['external_id', 'profile', 'published_at']);
    for (const post of await listPosts(world, `profile=${world.ids.profile}`)) expect(post.metrics).toEqual(noMetrics);
  });
});

describe('a broken or unauthorized import', () => {
  const authorized = () => [
    `Host: 127.0.0.1`,
    `Authorization: Bearer ${world.tokens.all}`,
    'Content-Type: application/x-ndjson',
  ];

  test('with an invalid chunk size causes no 5xx, and the server survives', async () => {
    const connection = await openImport(world, 'chunked');
    await connection.send(`5\r\n{"a":\r\nzz\r\n`);
    const reply = await within('the answer or the end', Promise.race([connection.reply, connection.closed]));
    connection.hangUp();
    if (reply) expect(reply.status).toBeLessThan(500);
    expect((await world.call('GET /health')).status).toBe(200);
  });

  const refusals: readonly [string, (head: string) => string, number][] = [
    ['no token', (head) => head.replace(/Authorization: [^\r]+\r\n/, ''), 401],
  ];
  for (const [name, change, status] of refusals) {
    test(`with ${name} is answered ${status} before its body of 1 GB is sent, and stores nothing`, async () => {
      const before = await postCount(world);
      const connection = await openRaw(world.server.port, 'POST');
      const path = world.fill(sendImport).replace(' ', ' /v1');
      const head = [`${path} HTTP/1.1`, ...authorized(), `Content-Length: ${1024 * megabyte}`, '', ''];
      await connection.send(change(head.join('\r\n')));
      let answered = false;
      void connection.reply.then(() => {
        answered = true;
      });
      const block = Buffer.from(`${next()}\n`.repeat(5000));
      let sent = 0;
      while (!answered && sent < 1024 * megabyte && (await connection.send(block))) sent += block.length;
      const reply = await within('the answer', connection.reply);
      connection.hangUp();
      expect(reply?.status).toBe(status);
      if (reply !== undefined) expectErrorShape(reply);
      expect(sent).toBeLessThan(512 * megabyte);
      expect(await postCount(world)).toBe(before);
    });
  }
});

describe('a slow import', () => {
  let hurried: World;
  beforeAll(async () => {
    hurried = await World.open({ UPLOAD_IDLE_TIMEOUT_MS: '1000', UPLOAD_MIN_BYTES_PER_SECOND: '100000' });
  });
  afterAll(() => hurried.close());

  test.concurrent('is answered 408 if its body stalls, and can be repeated', async () => {
    const profile = await makeProfile(hurried, 'Stalls');
    const lines = Array.from({ length: 50 }, (_, nth) => line(hurried, { profile, external_id: `${nth}` }));
    const body = `${lines.join('\n')}\n`;
    const connection = await openImport(hurried, body.length);
    await connection.send(body.slice(0, body.length / 2));
    const reply = await within('the answer', connection.reply);
    connection.hangUp();
    expect(reply?.status).toBe(408);
    if (reply !== undefined) expectErrorShape(reply);
    const again = await importAll(hurried, body);
    expect(counts(again)).toMatchObject({ lines: 50, updated: 0, rejected: 0 });
    expect(await listPosts(hurried, `profile=${profile}`)).toHaveLength(50);
  });

  test.concurrent('is answered 408 if its body arrives too slowly', async () => {
    const connection = await openImport(hurried, 100_000);
    const drip = setInterval(() => void connection.send(' '), 100);
    try {
      expect((await within('the answer', connection.reply, 40_000))?.status).toBe(408);
    } finally {
      clearInterval(drip);
      connection.hangUp();
    }
  });
});
