// These tests cover what a stream emits, who may read it, and where it resumes (docs/api.md, "Events").
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { serve } from '../imports/support/answers.ts';
import { loopback } from '../imports/support/imports.ts';
import { Origin } from '../imports/support/origin.ts';
import { jpeg, mp4 } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { at, expectInvalid, stringAt } from '../support/reply.ts';
import { startStopwatch, until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { Stream } from './support/stream.ts';

const PROFILES = 'POST /workspaces/{workspace}/profiles';

let world: World;
let origin: Origin;
let streams: Stream[] = [];

beforeAll(async () => {
  [world, origin] = await Promise.all([World.open(loopback), Origin.open()]);
  await world.token('media', '{workspace}', ['--scope', 'media:read']);
  await world.token('folders', '{workspace}', ['--scope', 'folders:read']);
  const profile = await world.call(PROFILES, { json: { name: 'Beach club', network: 'instagram' } });
  world.ids.profile = stringAt(profile.json, 'data', 'id');
});

afterEach(() => {
  for (const stream of streams) stream.close();
  streams = [];
});

afterAll(async () => {
  origin.close();
  await world.close();
});

async function open(...wanted: Parameters<typeof Stream.open> extends [World, ...infer Rest] ? Rest : never) {
  const stream = await Stream.open(world, ...wanted);
  streams.push(stream);
  return stream;
}

const shown = async (path: string): Promise<unknown> => at((await world.call(`GET ${path}`)).json, 'data');

/** These tests check that each event is emitted once, and contains the resource as `GET` returns it. */
describe('an event stream', () => {
  test('emits media events that contain the item as GET returns it', async () => {
    const stream = await open();
    const [item] = await world.store(file('a.jpg', jpeg()));
    const made = await stream.find('media.active', String(item?.id));
    expect(made.data).toEqual({
      type: 'media.active',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      workspace: world.ids.workspace,
      data: await shown(`/media_contents/${item?.id}`),
    });
    await world.call(`PATCH /media_contents/${item?.id}`, { json: { label: 'Dusk\n"' } });
    const changed = await stream.find('media.updated', String(item?.id));
    expect(at(changed.data, 'data')).toEqual(await shown(`/media_contents/${item?.id}`));
    await world.call(`DELETE /media_contents/${item?.id}`);
    const gone = await stream.find('media.deleted', String(item?.id));
    expect(at(gone.data, 'data')).toEqual({ id: item?.id });
    expect(stringAt(changed.data, 'timestamp') > stringAt(made.data, 'timestamp')).toBeTrue();
    expect(new Set(stream.ids).size).toBe(stream.received.length);
  });

  test('emits the first and the last status of an import', async () => {
    const stream = await open();
    const good = origin.page('film.mp4', serve(mp4())).url;
    const bad = origin.page('gone.mp4', serve(new Uint8Array(), { status: 404 })).url;
    const [first, second] = await Promise.all(
      [good, bad].map((url) =>
        world.call('POST /workspaces/{workspace}/media_contents', { json: { url, name: 'film' } }),
      ),
    );
    for (const [reply, end] of [
      [first, 'media.active'],
      [second, 'media.failed'],
    ] as const) {
      const id = stringAt(reply?.json, 'data', 0, 'id');
      await stream.find(end, id);
      const types = stream.received.filter(({ data }) => at(data, 'data', 'id') === id).map(({ type }) => type);
      expect(types.slice(0, 2)).toEqual(['media.processing', end]);
      expect(at((await stream.find('media.processing', id)).data, 'data', 'status')).toBe('processing');
    }
  });

  test('emits nothing for a presigned upload that is not confirmed', async () => {
    const stream = await open();
    const files = [{ name: 'a.jpg', size: 1000, mime: 'image/jpeg' }];
    await world.call('POST /workspaces/{workspace}/media_contents/presign', { json: { files } });
    await world.folder(randomUUID());
    await stream.untilReceived(1);
    expect(stream.types).toEqual(['folder.created']);
  });

  test('emits folder events that contain the folder as GET returns it', async () => {
    const stream = await open();
    const id = await world.folder(randomUUID());
    const made = await stream.find('folder.created', id);
    expect(at(made.data, 'data')).toEqual(await shown(`/media_library/folders/${id}`));
    await world.call(`PATCH /media_library/folders/${id}`, { json: { name: randomUUID() } });
    const changed = await stream.find('folder.updated', id);
    expect(at(changed.data, 'data')).toEqual(await shown(`/media_library/folders/${id}`));
    await world.call(`DELETE /media_library/folders/${id}`);
    expect(at((await stream.find('folder.deleted', id)).data, 'data')).toEqual({ id });
    expect(stream.types).toEqual(['folder.created', 'folder.updated', 'folder.deleted']);
  });

  test('emits post events that contain the post as GET returns it, except for its text', async () => {
    const [item] = await world.store(file('a.jpg', jpeg()));
    const stream = await open();
    const withoutText = async (id: string): Promise<unknown> => {
      const { text, ...rest } = Object(await shown(`/posts/${id}`));
      expect(text).toBe('Sun is out!');
      return rest;
    };
    const made = await world.call('POST /workspaces/{workspace}/posts', {
      json: {
        profile: '{profile}',
        published_at: '2026-01-31T18:30:00Z',
        text: 'Sun is out!',
        media_content_ids: [item?.id],
      },
    });
    const id = stringAt(made.json, 'data', 'id');
    expect(at((await stream.find('post.created', id)).data, 'data')).toEqual(await withoutText(id));
    await world.call(`PUT /posts/${id}/metrics`, { json: { likes: 5 } });
    expect(at((await stream.find('post.updated', id)).data, 'data')).toEqual(await withoutText(id));
    await world.call(`DELETE /posts/${id}`);
    expect(at((await stream.find('post.deleted', id)).data, 'data')).toEqual({ id });
    expect(stream.types).toEqual(['post.created', 'post.updated', 'post.deleted']);
  });

  test('emits nothing for other workspaces or refused requests', async () => {
    const stream = await open();
    const foreign = await open({ path: '/v1/workspaces/{foreign}/events', token: 'foreign' });
    const name = randomUUID();
    const made = await world.call('POST /workspaces/{foreign}/media_library/folders', {
      token: 'foreign',
      json: { name },
    });
    await world.call('POST /workspaces/{workspace}/media_library/folders', { json: { name: '' } });
    const id = await world.folder(name);
    await Promise.all([stream.find('folder.created', id), foreign.untilReceived(1)]);
    expect(stream.received).toHaveLength(1);
    expect(at(foreign.received[0]?.data, 'data', 'id')).toBe(at(made.json, 'data', 'id'));
  });

  test('emits an event within 300 ms', async () => {
    const stream = await open();
    const delays: number[] = [];
    for (let nth = 0; nth < 10; nth += 1) {
      const id = await world.folder(randomUUID());
      using stopwatch = startStopwatch();
      await stream.find('folder.created', id);
      delays.push(stopwatch.elapsed());
    }
    expect(delays.toSorted((a, b) => a - b)[5]).toBeLessThan(300);
  });
});

describe('a request for an event stream', () => {
  test('is answered only with events of the requested types', async () => {
    const stream = await open({ query: '?types=folder.deleted,%20media.active&types=media.failed' });
    const id = await world.folder(randomUUID());
    await world.call(`DELETE /media_library/folders/${id}`);
    await stream.untilReceived(1);
    expect(stream.types).toEqual(['folder.deleted']);
  });

  test.each([
    ['an unknown type', 'nothing'],
    ['a trailing comma', 'media.active,'],
    ['a type without an event', 'media'],
    ['the type reset', 'reset'],
    ['a type of 2,000 characters', `media.active,${'x'.repeat(2000)}`],
  ])('is rejected with %s', async (_, types) => {
    const reply = await world.call(`GET /workspaces/{workspace}/events?types=${encodeURIComponent(types)}`);
    expectInvalid(reply, { types: true });
  });

  test('is rejected if it has two ids to resume from', async () => {
    const reply = await world.call('GET /workspaces/{workspace}/events?last_event_id=a&last_event_id=b');
    expectInvalid(reply, { last_event_id: 'The last event id field must not be given more than once.' });
  });

  test('is answered only with events that the scopes of its token allow', async () => {
    const [media, folders] = [await open({ token: 'media' }), await open({ token: 'folders' })];
    const both = await open();
    await world.folder(randomUUID());
    await world.store(file('a.jpg', jpeg()));
    await both.untilReceived(2);
    await Promise.all([media.untilReceived(1), folders.untilReceived(1)]);
    expect([...new Set(media.types)]).toEqual(['media.active']);
    expect(folders.types).toEqual(['folder.created']);
  });

  test.each([
    ['foreign', 'a foreign', 404],
    [null, 'a missing', 401],
    ['x.y.z', 'an invalid', 401],
  ])('with the token %p is rejected as %s token', async (token, _, expected) => {
    expect((await world.call('GET /workspaces/{workspace}/events', { token })).status).toBe(expected);
  });

  test('is answered immediately, with a keep-alive and headers against caching', async () => {
    const stream = await open();
    await until('the first bytes', () => stream.signsOfLife > 0, 2000);
    expect(Object.fromEntries(stream.response.headers)).toMatchObject({
      'cache-control': 'no-store',
      'content-type': 'text/event-stream',
      'x-accel-buffering': 'no',
    });
    expect(stream.received).toEqual([]);
  });

  test('is answered without a body if its method is HEAD', async () => {
    const reply = await world.call('HEAD /workspaces/{workspace}/events');
    expect([reply.status, reply.text]).toEqual([200, '']);
    expect(reply.headers.get('content-type')).toBe('text/event-stream');
    expect(reply.headers.get('content-length')).toBeNull();
  });
});

describe('a reconnecting event stream', () => {
  test.each([
    ['the header', (id: string) => ({ headers: { 'Last-Event-ID': id } })],
    ['the query', (id: string) => ({ query: `?last_event_id=${id}` })],
    [
      'the header rather than the query',
      (id: string) => ({ headers: { 'Last-Event-ID': id }, query: '?last_event_id=x' }),
    ],
  ])('resumes after the id in %s, without gaps or repeats', async (_, from) => {
    const first = await open();
    const before = await world.folder(randomUUID());
    await first.find('folder.created', before);
    first.close();
    const missed: string[] = [];
    for (let nth = 0; nth < 3; nth += 1) missed.push(await world.folder(randomUUID()));
    const again = await open(from(String(first.lastId)));
    missed.push(await world.folder(randomUUID()));
    await again.untilReceived(4);
    await Bun.sleep(300);
    expect(again.received.map(({ data }) => stringAt(data, 'data', 'id'))).toEqual(missed);
  });

  test('resumes where it began if the connection was lost before the first event', async () => {
    await world.folder(randomUUID());
    const first = await open();
    await until('the first bytes', () => first.signsOfLife > 0, 2000);
    first.close();
    const missed = await world.folder(randomUUID());
    const again = await open({ headers: { 'Last-Event-ID': String(first.lastId) } });
    await again.find('folder.created', missed);
    expect(again.received).toHaveLength(1);
  });

  test.each([
    ['never existed', async () => randomUUID()],
    ['is malformed', async () => 'nothing like an id'],
    [
      'belongs to another workspace',
      async () => {
        const foreign = await open({ path: '/v1/workspaces/{foreign}/events', token: 'foreign' });
        await world.call('POST /workspaces/{foreign}/media_library/folders', {
          token: 'foreign',
          json: { name: randomUUID() },
        });
        await foreign.untilReceived(1);
        return String(foreign.lastId);
      },
    ],
  ])('begins with a reset after an id that %s', async (_, lastId) => {
    const first = await open();
    await first.find('folder.created', await world.folder(randomUUID()));
    const again = await open({ headers: { 'Last-Event-ID': await lastId() }, query: '?types=folder.created' });
    await again.untilReceived(1);
    expect(again.received).toEqual([
      {
        id: first.lastId,
        type: 'reset',
        data: { type: 'reset', timestamp: expect.any(String), workspace: world.ids.workspace, data: null },
      },
    ]);
    await again.find('folder.created', await world.folder(randomUUID()));
    expect(again.types).toEqual(['reset', 'folder.created']);
  });
});
