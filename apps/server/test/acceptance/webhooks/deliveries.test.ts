// These tests cover what the service sends to a receiver, and what happens to a delivery that the receiver doesn't
// accept.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Webhook } from 'standardwebhooks';
import * as fixtures from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { arrayAt, at, stringAt } from '../support/reply.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import {
  arrived,
  createWebhook,
  type Hook,
  inTurn,
  ok,
  Receiver,
  reachable,
  settledDelivery,
  status,
  verified,
} from './support/receiver.ts';

let world: World;
let receiver: Receiver;

beforeAll(async () => {
  world = await World.open(reachable);
  receiver = new Receiver();
});

afterAll(async () => {
  receiver.close();
  await world.close();
});

const testIt = async (id: string) => {
  const reply = await world.call(`POST /webhooks/${id}/test`);
  expect({ status: reply.status, text: reply.text }).toEqual({ status: 202, text: reply.text });
  return at(reply.json, 'data');
};

const show = async (id: string) => at((await world.call(`GET /webhooks/${id}`)).json, 'data');

/**
 * Expects that a hook receives nothing more. It makes a new delivery to a different hook, and waits until that arrives:
 * a delivery to this hook would have been sent before.
 */
async function nothingMore(hook: Hook): Promise<void> {
  const before = hook.requests.length;
  const other = receiver.hook();
  await testIt((await createWebhook(world, other)).id);
  await arrived(other);
  await Bun.sleep(500);
  expect(hook.requests).toHaveLength(before);
}

describe('a webhook event', () => {
  test('is sent signed, in the form of the event stream, to webhooks for its type', async () => {
    const [all, folders] = [receiver.hook(), receiver.hook()];
    const [{ secret }, { secret: other }] = [
      await createWebhook(world, all, ['media.active', 'media.deleted']),
      await createWebhook(world, folders, ['folder.created']),
    ];
    const item = await world.storeOne(file('beach.jpg', fixtures.jpeg()));
    const request = await arrived(all);
    expect(verified(secret, request)).toEqual({
      type: 'media.active',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      workspace: String(world.ids.workspace),
      data: { ...item },
    });
    expect(() => new Webhook(other).verify(request.body, request.headers)).toThrow();
    expect(request.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(request.body)),
    });
    expect(request.body).not.toContain('whsec_');
    await world.call(`DELETE /media_contents/${item.id}`);
    expect(verified(secret, await arrived(all, 2))).toMatchObject({ type: 'media.deleted', data: { id: item.id } });
    await world.folder('Summer');
    await arrived(folders);
    expect([all.requests.length, folders.requests.length]).toEqual([2, 1]);
  });

  test('is not sent to webhooks of other workspaces', async () => {
    const hook = receiver.hook();
    await createWebhook(world, hook);
    const made = await world.call('POST /workspaces/{foreign}/media_library/folders', {
      token: 'foreign',
      json: { name: 'Secret' },
    });
    expect(made.status).toBe(201);
    await nothingMore(hook);
  });

  test('is not sent for a refused change', async () => {
    const hook = receiver.hook();
    await createWebhook(world, hook, ['folder.created']);
    const refused = await world.call('POST /workspaces/{workspace}/media_library/folders', { json: { name: '' } });
    expect(refused.status).toBe(422);
    await nothingMore(hook);
  });
});

describe('a webhook delivery', () => {
  test('is retried with the same id until it is accepted, and records its attempts', async () => {
    const hook = receiver.hook(inTurn(status(500), status(503), ok));
    const { id, secret } = await createWebhook(world, hook);
    const sent = await testIt(id);
    expect(sent).toMatchObject({ status: 'pending', attempts: 0, last_status: null, last_error: null });
    await arrived(hook, 3);
    const bodies = new Set(hook.requests.map((request) => request.body));
    const ids = new Set(hook.requests.map((request) => request.id));
    expect([bodies.size, [...ids]]).toEqual([1, [stringAt(sent, 'event', 'id')]]);
    for (const request of hook.requests) verified(secret, request);
    expect(await settledDelivery(world, id)).toEqual({
      id: stringAt(sent, 'id'),
      event: { id: stringAt(sent, 'event', 'id'), type: 'webhook.test' },
      status: 'delivered',
      attempts: 3,
      next_attempt_at: null,
      last_status: 204,
      last_error: null,
    });
  });

  test('fails after its last retry, stores no response bodies, and can be repeated', async () => {
    const hook = receiver.hook(status(500));
    const { id } = await createWebhook(world, hook);
    await testIt(id);
    const settled = await settledDelivery(world, id);
    expect(settled).toMatchObject({
      status: 'failed',
      attempts: 4,
      next_attempt_at: null,
      last_status: 500,
      last_error: 'The receiver did not answer with a 2xx status.',
    });
    expect(JSON.stringify(settled) + world.server.log()).not.toContain('must not be kept');
    await nothingMore(hook);
    hook.answer = ok;
    const again = await world.call(`POST /webhook_deliveries/${stringAt(settled, 'id')}/redeliver`);
    expect([again.status, at(again.json, 'data', 'status')]).toEqual([202, 'pending']);
    expect((await arrived(hook, 5)).id).toBe(hook.requests[0]?.id ?? '');
    expect(await settledDelivery(world, id)).toMatchObject({ status: 'delivered', last_status: 204, last_error: null });
  });

  test('fails at a redirect, and does not follow it', async () => {
    const elsewhere = receiver.hook();
    const hook = receiver.hook(status(307, { location: elsewhere.url }));
    const { id } = await createWebhook(world, hook);
    await testIt(id);
    expect(await settledDelivery(world, id)).toMatchObject({
      status: 'failed',
      last_status: 307,
      last_error: 'The receiver redirected, and redirects are not followed.',
    });
    expect(elsewhere.requests).toEqual([]);
  });

  test('fails if nothing listens at its URL', async () => {
    const gone = new Receiver();
    const hook = gone.hook();
    gone.close();
    const { id } = await createWebhook(world, hook);
    await testIt(id);
    expect(await settledDelivery(world, id)).toMatchObject({
      status: 'failed',
      last_status: null,
      last_error: 'The receiver could not be reached.',
    });
  });
});

test('410 Gone disables a webhook until a user enables it', async () => {
  const hook = receiver.hook(status(410));
  const { id } = await createWebhook(world, hook, ['folder.created']);
  await testIt(id);
  await until('it is disabled', async () => at(await show(id), 'enabled') === false);
  expect(await show(id)).toMatchObject({ disabled_reason: 'The receiver answered 410 Gone.' });
  await world.folder('While it is disabled');
  await nothingMore(hook);
  expect((await world.call(`POST /webhooks/${id}/test`)).status).toBe(422);
  hook.answer = ok;
  const enabled = await world.call(`PATCH /webhooks/${id}`, { json: { enabled: true } });
  expect(at(enabled.json, 'data')).toMatchObject({ enabled: true, disabled_reason: null });
  await world.folder('Afterwards');
  expect(JSON.parse((await arrived(hook, 2)).body)).toMatchObject({ data: { name: 'Afterwards' } });
});

test('a delivery after a rotation is signed with both secrets', async () => {
  const hook = receiver.hook();
  const { id, secret } = await createWebhook(world, hook);
  const rotated = await world.call(`POST /webhooks/${id}/rotate_secret`);
  const newer = stringAt(rotated.json, 'data', 'secret');
  await testIt(id);
  const request = await arrived(hook);
  expect(request.headers['webhook-signature']?.split(' ')).toHaveLength(2);
  expect(verified(secret, request)).toEqual(verified(newer, request));
  expect(world.server.log()).not.toContain('whsec_');
});

test('a test event is sent regardless of the webhook’s event types, and retried at the new URL if that changes', async () => {
  const [old, hook] = [receiver.hook(status(500)), receiver.hook()];
  const { id, secret } = await createWebhook(world, old, ['post.deleted']);
  await testIt(id);
  await arrived(old);
  await world.call(`PATCH /webhooks/${id}`, { json: { url: hook.url } });
  expect(verified(secret, await arrived(hook))).toMatchObject({ type: 'webhook.test', data: { id } });
});

test('a deleted webhook receives nothing, and its deliveries are deleted', async () => {
  const hook = receiver.hook(status(500));
  const { id } = await createWebhook(world, hook);
  const sent = await testIt(id);
  expect((await world.call(`DELETE /webhooks/${id}`)).status).toBe(204);
  await until('running deliveries have ended', async () => {
    const before = hook.requests.length;
    await Bun.sleep(500);
    return hook.requests.length === before;
  });
  expect((await world.call(`POST /webhook_deliveries/${stringAt(sent, 'id')}/redeliver`)).status).toBe(404);
  expect((await world.call(`GET /webhooks/${id}/deliveries`)).status).toBe(404);
});

test('deliveries are listed newest first', async () => {
  const { id } = await createWebhook(world, receiver.hook(), ['post.deleted']);
  const sent = [await testIt(id), await testIt(id), await testIt(id)].map((delivery) => stringAt(delivery, 'id'));
  const page = await world.call(`GET /webhooks/${id}/deliveries?per_page=2`);
  expect(arrayAt(page.json, 'data').map((delivery) => at(delivery, 'id'))).toEqual(sent.toReversed().slice(0, 2));
  expect(at(page.json, 'meta', 'total')).toBe(3);
});
