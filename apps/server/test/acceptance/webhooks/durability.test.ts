// These tests check that killing the service loses no committed event, and that deliveries report a changed JWT_SECRET,
// with which the webhooks' secrets can't be decrypted.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { endJobLeases } from '../support/leases.ts';
import { at, stringAt } from '../support/reply.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { arrived, createWebhook, ok, Receiver, reachable, settledDelivery, verified } from './support/receiver.ts';

let world: World;
let receiver: Receiver;

beforeEach(async () => {
  world = await World.openAlone(reachable);
  receiver = new Receiver();
});

afterEach(async () => {
  receiver.close();
  await world.close();
});

const foldersIn = (bodies: readonly { readonly body: string }[]): Set<unknown> =>
  new Set(bodies.map(({ body }) => at(JSON.parse(body), 'data', 'name')));

test('an event committed right before a kill is delivered by the next process', async () => {
  const hook = receiver.hook();
  await createWebhook(world, hook, ['folder.created']);
  const names = ['One', 'Two', 'Three'];
  for (const name of names) {
    await world.folder(name);
    await world.server.end('SIGKILL');
    await world.restart();
  }
  await endJobLeases(world);
  await until('all have come', async () => foldersIn(hook.requests).size === names.length, 60_000);
  expect([...foldersIn(hook.requests)].sort()).toEqual([...names].sort());
});

test('a delivery interrupted by a kill is repeated with the same id', async () => {
  const hook = receiver.hook(() => new Promise(() => undefined));
  const { id, secret } = await createWebhook(world, hook, ['folder.created']);
  await world.folder('Summer');
  await arrived(hook);
  await world.server.end('SIGKILL');
  hook.answer = ok;
  await world.restart();
  await endJobLeases(world);
  const request = await arrived(hook, 2, 60_000);
  expect(request.id).toBe(hook.requests[0]?.id ?? '');
  expect(verified(secret, request)).toMatchObject({ type: 'folder.created', data: { name: 'Summer' } });
  expect(await settledDelivery(world, id)).toMatchObject({ status: 'delivered' });
});

test('deliveries fail with a reason after a change of JWT_SECRET, until the webhook secret is rotated', async () => {
  const hook = receiver.hook();
  const { id } = await createWebhook(world, hook);
  await world.server.end();
  await world.run(['token', 'reset-secret', '--yes']);
  const JWT_SECRET = 'another-secret-0123456789abcdef0123456789abcdef0123456789abcdef01';
  world.server = { ...world.server, settings: { ...world.server.settings, JWT_SECRET } };
  await world.restart();
  await world.tokenByCommand('all', '{workspace}');
  await world.call(`POST /webhooks/${id}/test`);
  expect(await settledDelivery(world, id)).toMatchObject({
    status: 'failed',
    last_status: null,
    last_error: 'The secret cannot be read because JWT_SECRET has changed: rotate it.',
  });
  expect(hook.requests).toEqual([]);
  const rotated = await world.call(`POST /webhooks/${id}/rotate_secret`);
  await world.call(`POST /webhooks/${id}/test`);
  const request = await arrived(hook);
  expect(verified(stringAt(rotated.json, 'data', 'secret'), request)).toMatchObject({ type: 'webhook.test' });
  // The request is signed only with the new secret, because the old one can't be decrypted.
  expect(request.headers['webhook-signature']?.split(' ')).toHaveLength(1);
});
