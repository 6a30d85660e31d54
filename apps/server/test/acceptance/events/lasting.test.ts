// These tests check that no stream loses or repeats an event while processes stop, are killed, or run concurrently.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { sized } from '../support/long.ts';
import { arrayAt, at, stringAt } from '../support/reply.ts';
import type { Server } from '../support/server.ts';
import { startStopwatch, until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { Stream } from './support/stream.ts';

let world: World;
let others: Server[];

beforeEach(async () => {
  others = [];
  world = await World.openAlone();
});

afterEach(async () => {
  for (const other of others) await other.end();
  await world.close();
});

const foldersOf = (events: Stream['received']): string[] => events.map(({ data }) => stringAt(data, 'data', 'id'));

async function startAnother(): Promise<Server> {
  const other = await world.startAnother();
  others.push(other);
  return other;
}

describe('an event stream with two servers', () => {
  test('emits changes made on either server within a second, and in the same order on both', async () => {
    const other = await startAnother();
    const [here, there] = await Promise.all([Stream.open(world), Stream.open(world, { url: other.url })]);
    const create = async (url: string): Promise<string> => {
      const response = await fetch(world.fill(`${url}/v1/workspaces/{workspace}/media_library/folders`), {
        method: 'POST',
        headers: { Authorization: `Bearer ${world.tokens.all}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ name: randomUUID() }),
      });
      expect(response.status).toBe(201);
      return stringAt(await response.json(), 'data', 'id');
    };
    const id = await create(other.url);
    await here.find('folder.created', id, 1000);
    await there.find('folder.created', id, 1000);
    await Promise.all(Array.from({ length: 60 }, (_, nth) => create(nth % 2 === 0 ? other.url : world.server.url)));
    await Promise.all([here.untilReceived(61), there.untilReceived(61)]);
    expect(here.ids).toEqual(there.ids);
    expect(new Set(here.ids).size).toBe(61);
    here.close();
    there.close();
  });

  test('resumes at one server after the other was killed', async () => {
    const other = await startAnother();
    const stream = await Stream.open(world, { url: other.url });
    await stream.find('folder.created', await world.folder(randomUUID()));
    await other.end('SIGKILL');
    await until('the stream has ended', () => stream.hasEnded);
    const missed = await world.folder(randomUUID());
    const again = await Stream.open(world, { headers: { 'Last-Event-ID': String(stream.lastId) } });
    await again.find('folder.created', missed);
    expect(again.received).toHaveLength(1);
    again.close();
  });
});

const KILLS = sized(3, 20);

test('a server that is killed repeatedly loses no event and repeats none', async () => {
  const received: string[] = [];
  let lastId = await beginAt();
  for (let kill = 0; kill < KILLS; kill += 1) {
    const stream = await Stream.open(world, { headers: { 'Last-Event-ID': lastId } });
    let isOver = false;
    const create = async (): Promise<void> => {
      while (!isOver) await world.folder(randomUUID()).catch(() => Bun.sleep(1));
    };
    const creating = Promise.all([create(), create(), create()]);
    await Bun.sleep(400 + Math.random() * 300);
    await world.server.end('SIGKILL');
    isOver = true;
    await creating;
    await until('the stream has ended', () => stream.hasEnded);
    expect(stream.types).not.toContain('reset');
    received.push(...foldersOf(stream.received));
    lastId = stream.lastId ?? lastId;
    await world.restart();
  }
  const last = await Stream.open(world, { headers: { 'Last-Event-ID': lastId } });
  const end = await world.folder(randomUUID());
  await last.find('folder.created', end);
  received.push(...foldersOf(last.received));
  last.close();
  const there = await allFolders();
  expect(there.length).toBeGreaterThan(KILLS);
  expect(received.toSorted()).toEqual(there.toSorted());
});

/** The id that a stream begins with in a workspace without events. */
async function beginAt(): Promise<string> {
  const stream = await Stream.open(world);
  await until('the stream has an id', () => stream.lastId !== null);
  stream.close();
  return String(stream.lastId);
}

async function allFolders(): Promise<string[]> {
  const ids: string[] = [];
  for (let page = 1; ; page += 1) {
    const path = `/workspaces/{workspace}/media_library/folders?per_page=100&page=${page}`;
    const reply = await world.call(`GET ${path}`);
    const found = arrayAt(reply.json, 'data').map((folder) => stringAt(folder, 'id'));
    ids.push(...found);
    if (found.length < 100) return ids;
  }
}

test('a client that reconnects repeatedly receives each event exactly once', async () => {
  const [created, received]: [string[], string[]] = [[], []];
  let lastId = await beginAt();
  for (let time = 0; time < sized(10, 100); time += 1) {
    const stream = await Stream.open(world, { headers: { 'Last-Event-ID': lastId } });
    created.push(await world.folder(randomUUID()));
    // The stream is closed at a random moment: before, while or after the event is emitted.
    await Bun.sleep(Math.random() * 200);
    stream.close();
    received.push(...foldersOf(stream.received));
    lastId = String(stream.lastId ?? lastId);
  }
  const last = await Stream.open(world, { headers: { 'Last-Event-ID': lastId } });
  await until('all events have arrived', () => received.length + last.received.length >= created.length);
  expect([...received, ...foldersOf(last.received)]).toEqual(created);
  last.close();
});

test('a server that stops ends its event streams immediately', async () => {
  const streams = await Promise.all([
    Stream.open(world),
    Stream.open(world),
    Stream.open(world, {
      path: `/trpc/events.subscribe?input=${encodeURIComponent(JSON.stringify({ workspace: world.ids.workspace }))}`,
    }),
  ]);
  using stopwatch = startStopwatch();
  expect(await world.server.end('SIGTERM')).toBe(0);
  expect(stopwatch.elapsed()).toBeLessThan(3000);
  for (const stream of streams) await until('the stream has ended', () => stream.hasEnded);
  // A `return` event would tell tRPC's clients that the subscription is complete.
  expect(streams.flatMap(({ types }) => types)).not.toContain('return');
  expect(world.server.log()).not.toContain('still running at the deadline');
});

test('disconnected clients delay neither events nor the stop of the server', async () => {
  const streams = await Promise.all(Array.from({ length: 50 }, () => Stream.open(world)));
  for (const stream of streams) stream.close();
  // This stream's client is the only one still connected. When it disconnects too, the server has no requests left to
  // wait for.
  const stream = await Stream.open(world);
  await stream.find('folder.created', await world.folder(randomUUID()));
  stream.close();
  using stopwatch = startStopwatch();
  expect(await world.server.end('SIGTERM')).toBe(0);
  expect(stopwatch.elapsed()).toBeLessThan(3000);
});

test('an event stream lasts, with keep-alives, until its token is revoked or its session ends', async () => {
  const id = await world.token('brief', '{workspace}');
  const signedIn = await fetch(`${world.server.url}/v1/sessions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: world.server.url },
    body: JSON.stringify({ token: world.tokens.all }),
  });
  const cookie = signedIn.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  const input = encodeURIComponent(JSON.stringify({ workspace: world.ids.workspace }));
  const [lasting, brief, session, subscription] = await Promise.all([
    Stream.open(world),
    Stream.open(world, { token: 'brief' }),
    Stream.open(world, { token: null, headers: { cookie } }),
    Stream.open(world, { token: 'brief', path: `/trpc/events.subscribe?input=${input}` }),
  ]);
  await lasting.find('folder.created', await world.folder(randomUUID()));
  await Promise.all([brief.untilReceived(1), session.untilReceived(1), subscription.untilReceived(2)]);
  await world.run(['token', 'revoke', id]);
  const ended = await fetch(`${world.server.url}/v1/sessions/current`, {
    method: 'DELETE',
    headers: { cookie, Origin: world.server.url },
  });
  expect(ended.status).toBe(204);
  for (const stream of [brief, session, subscription]) await until('the stream has ended', () => stream.hasEnded);
  const [{ data } = { data: null }] = subscription.received.filter(({ type }) => type === 'serialized-error');
  expect(at(data, 'data')).toMatchObject({ code: 'UNAUTHORIZED', httpStatus: 401 });
  // The long form waits longer than the maximum for an idle connection.
  await Bun.sleep(sized(1000, 75_000));
  expect(lasting.signsOfLife).toBeGreaterThanOrEqual(sized(2, 6));
  await lasting.find('folder.created', await world.folder(randomUUID()));
  lasting.close();
});
