import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { issue, send } from '../presign/support/uploads.ts';
import { jpeg } from '../support/fixtures.ts';
import { onDisk } from '../support/storage.ts';
import { within } from '../support/until.ts';
import { World } from '../support/world.ts';
import {
  addTenants,
  beginUpload,
  firstTenant,
  slots,
  type Tenant,
  untilSlotsAre,
  uploadPicture,
} from './support/tenants.ts';

let world: World;
let tenants: readonly Tenant[];

beforeAll(async () => {
  world = await World.openAlone({ ...onDisk, UPLOAD_CONCURRENCY: '4', UPLOAD_IDLE_TIMEOUT_MS: '240000' });
  tenants = [firstTenant(world), ...(await addTenants(world, 'second', 'third'))];
});
afterAll(() => world.close());

const begun: { readonly connection: { hangUp(): void } }[] = [];

afterEach(async () => {
  for (const { connection } of begun.splice(0)) connection.hangUp();
  await untilSlotsAre(world, 'uploads', 0, 0);
});

/** Starts `count` uploads by the tenant, and doesn't finish them. */
async function beginUploads(tenant: Tenant | undefined, count: number) {
  if (!tenant) throw new Error('There are fewer tenants.');
  const uploads = await Promise.all(Array.from({ length: count }, () => beginUpload(world, tenant)));
  begun.push(...uploads);
  return uploads;
}

test('any number of uploads of one workspace leaves slots for multipart and presigned uploads of another', async () => {
  const [own, busy] = tenants;
  if (!own) throw new Error('There is no tenant.');
  const uploads = await beginUploads(busy, 8);
  await untilSlotsAre(world, 'uploads', 2, 4);
  // Of the eight uploads, two have a slot, four wait, and two are refused.
  const refused = await within('a refusal', Promise.race(uploads.map(({ connection }) => connection.reply)));
  expect(refused?.status).toBe(503);
  expect(refused?.headers.get('retry-after')).toBe('10');
  expect((await uploadPicture(world, own)).status).toBe(201);
  const issued = await issue(world, jpeg());
  expect((await send(issued, jpeg())).status).toBe(200);
  expect((await slots(world, 'uploads'))[0]).toBe(2);
});

test('uploads of two workspaces leave a slot for a third', async () => {
  const [own, second, third] = tenants;
  if (!own) throw new Error('There is no tenant.');
  await beginUploads(second, 4);
  await untilSlotsAre(world, 'uploads', 2, 2);
  await beginUploads(third, 4);
  await untilSlotsAre(world, 'uploads', 3, 5);
  expect((await uploadPicture(world, own)).status).toBe(201);
  expect((await slots(world, 'uploads'))[0]).toBe(3);
});

test('disconnecting clients free their slots for waiting uploads', async () => {
  const [first, second] = await beginUploads(tenants[1], 3);
  await untilSlotsAre(world, 'uploads', 2, 1);
  first?.connection.hangUp();
  await untilSlotsAre(world, 'uploads', 2, 0);
  second?.connection.hangUp();
  await untilSlotsAre(world, 'uploads', 1, 0);
});
