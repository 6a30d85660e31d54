// These tests use the subscription `events.subscribe` with tRPC's own link (docs/api.md, "Events").
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { createTRPCUntypedClient, httpSubscriptionLink, TRPCClientError } from '@trpc/client';
import { at, stringAt } from '../support/reply.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { EventSourceByFetch } from './support/event-source.ts';

let world: World;

beforeAll(async () => {
  world = await World.openAlone();
  await world.token('media', '{workspace}', ['--scope', 'media:read']);
});

afterAll(() => world.close());

/** Subscribes, and collects the `{id, data}` of each event that tRPC's client passes on. */
function subscribe(input: object, token = 'all') {
  const got: unknown[] = [];
  const errors: unknown[] = [];
  let isComplete = false;
  const link = httpSubscriptionLink({
    url: `${world.server.url}/trpc`,
    EventSource: EventSourceByFetch,
    eventSourceOptions: () => ({ headers: { Authorization: `Bearer ${world.tokens[token] ?? token}` } }),
  });
  const client = createTRPCUntypedClient({ links: [link] });
  const subscription = client.subscription('events.subscribe', world.fill(input), {
    onData: (data) => got.push(data),
    onError: (error) => errors.push(error),
    onComplete: () => {
      isComplete = true;
    },
    onStarted: () => {
      isStarted = true;
    },
  });
  let isStarted = false;
  return {
    got,
    errors,
    end: () => subscription.unsubscribe(),
    isComplete: () => isComplete,
    started: () => until('the subscription has started', () => isStarted),
    received: (count: number) => until(`${count} events have arrived`, () => got.length >= count),
  };
}

const createFolder = (): Promise<string> => world.folder(randomUUID());

describe('a tRPC subscription to events', () => {
  test('emits events with their ids in the same form as REST, and resumes after an id', async () => {
    const first = subscribe({ workspace: '{workspace}' });
    await first.started();
    const id = await createFolder();
    await first.received(1);
    first.end();
    const { data } = Object((await world.call(`GET /media_library/folders/${id}`)).json);
    expect(first.got).toEqual([
      {
        id: expect.any(String),
        data: { type: 'folder.created', timestamp: expect.any(String), workspace: world.ids.workspace, data },
      },
    ]);
    const missed = [await createFolder(), await createFolder()];
    const again = subscribe({ workspace: '{workspace}', lastEventId: stringAt(first.got[0], 'id') });
    await again.received(2);
    again.end();
    expect(again.got.map((event) => at(event, 'data', 'data', 'id'))).toEqual(missed);
  });

  test.each([['folder.deleted,media.active'], [['folder.deleted']]])('emits only the types %p', async (types) => {
    const subscription = subscribe({ workspace: '{workspace}', types });
    await subscription.started();
    await world.call(`DELETE /media_library/folders/${await createFolder()}`);
    await subscription.received(1);
    subscription.end();
    expect(subscription.got.map((event) => at(event, 'data', 'type'))).toEqual(['folder.deleted']);
  });

  test('emits only what the scopes of its token allow', async () => {
    const [all, media] = [subscribe({ workspace: '{workspace}' }), subscribe({ workspace: '{workspace}' }, 'media')];
    await Promise.all([all.started(), media.started()]);
    await createFolder();
    await all.received(1);
    await Bun.sleep(300);
    expect(media.got).toEqual([]);
    all.end();
    media.end();
  });

  test('begins with a reset after an unknown id', async () => {
    const subscription = subscribe({ workspace: '{workspace}', lastEventId: randomUUID() });
    await subscription.received(1);
    subscription.end();
    expect(subscription.got).toMatchObject([{ data: { type: 'reset', data: null } }]);
  });

  test.each([
    ['a workspace that the token cannot access', { workspace: '{foreign}' }, 'all', 404],
    ['no workspace', {}, 'all', 422],
    ['no input', null, 'all', 422],
    ['unknown types', { workspace: '{workspace}', types: ['nothing'] }, 'all', 422],
    ['a list of numbers', { workspace: '{workspace}', types: [1] }, 'all', 422],
    ['an invalid token', { workspace: '{workspace}' }, 'x.y.z', 401],
  ])('is refused for %s, and not retried', async (_, input, token, httpStatus) => {
    const subscription = subscribe(Object(input), token);
    await until('the refusal', () => subscription.errors.length > 0);
    const [error] = subscription.errors;
    expect(error).toBeInstanceOf(TRPCClientError);
    expect(at(error, 'data')).toMatchObject({ httpStatus });
    expect(subscription.got).toEqual([]);
    subscription.end();
  });

  test('is refused in a batch, and accepted by POST', async () => {
    const input = encodeURIComponent(JSON.stringify({ 0: { workspace: world.ids.workspace } }));
    const batch = await world.call(`GET /trpc/events.subscribe?batch=1&input=${input}`);
    expect(at(batch.json, 0, 'error', 'data', 'httpStatus')).toBe(400);
    const posted = await world.call('POST /trpc/events.subscribe', { json: { workspace: '{workspace}' } });
    expect(posted.text).toContain('event: connected');
  });

  test('resumes automatically when the service restarts', async () => {
    const subscription = subscribe({ workspace: '{workspace}' });
    await subscription.started();
    const before = await createFolder();
    await subscription.received(1);
    expect(await world.server.end('SIGTERM')).toBe(0);
    expect(subscription.isComplete()).toBeFalse();
    await world.restart();
    const after = await createFolder();
    await subscription.received(2);
    subscription.end();
    expect(subscription.errors).toEqual([]);
    expect(subscription.got.map((event) => at(event, 'data', 'data', 'id'))).toEqual([before, after]);
  });
});
