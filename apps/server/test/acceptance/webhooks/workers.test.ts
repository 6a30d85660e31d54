// These tests check deliveries by workers. The server delivers nothing itself.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { startWorker, type Worker } from '../imports/support/processes.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { arrived, createWebhook, Receiver, reachable, settledDelivery, verified } from './support/receiver.ts';

let world: World;
let receiver: Receiver;
const running: Worker[] = [];

beforeEach(async () => {
  world = await World.openWithoutWorker(reachable);
  receiver = new Receiver();
});

afterEach(async () => {
  for (const worker of running.splice(0)) await worker.end();
  receiver.close();
  await world.close();
});

async function start(extra: Parameters<typeof startWorker>[1] = {}): Promise<Worker> {
  const worker = await startWorker(world.server, extra);
  running.push(worker);
  return worker;
}

test('two workers send each webhook event once', async () => {
  const hook = receiver.hook();
  const { id, secret } = await createWebhook(world, hook, ['folder.created']);
  await Promise.all([start(), start()]);
  const names = Array.from({ length: 20 }, (_, nth) => `Folder ${nth}`);
  for (const name of names) await world.folder(name);
  const last = await arrived(hook, names.length);
  expect(verified(secret, last)).toMatchObject({ type: 'folder.created' });
  expect(await settledDelivery(world, id)).toMatchObject({ status: 'delivered', attempts: 1 });
  await Bun.sleep(1000);
  expect(new Set(hook.requests.map((request) => request.id)).size).toBe(names.length);
  expect(hook.requests).toHaveLength(names.length);
});

test('a worker with the JWT_SECRET of another library logs the mistake, and leaves deliveries to others', async () => {
  const hook = receiver.hook();
  const { secret } = await createWebhook(world, hook, ['folder.created']);
  const worker = await start({ JWT_SECRET: 'of-another-library-0123456789abcdef0123456789abcdef' });
  await world.folder('Summer');
  await until('it logs so', async () => worker.log().includes('JWT_SECRET is not the secret of the library'));
  await Bun.sleep(1000);
  expect(hook.requests).toEqual([]);
  await start();
  expect(verified(secret, await arrived(hook))).toMatchObject({ data: { name: 'Summer' } });
});
