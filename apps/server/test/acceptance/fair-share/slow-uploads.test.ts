import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { onDisk } from '../support/storage.ts';
import { within } from '../support/until.ts';
import { World } from '../support/world.ts';
import { addTenants, beginUpload, firstTenant, type Tenant, untilSlotsAre, uploadPicture } from './support/tenants.ts';

setDefaultTimeout(180_000);

/** The bytes of each piece, and the milliseconds between pieces: 1.5 times the minimum rate. */
const DRIP = { bytes: 15, every: 100 };

let world: World;
let others: readonly Tenant[];

beforeAll(async () => {
  const rate = { UPLOAD_IDLE_TIMEOUT_MS: '2000', UPLOAD_MIN_BYTES_PER_SECOND: '100' };
  world = await World.openAlone({ ...onDisk, ...rate, UPLOAD_CONCURRENCY: '1' });
  others = await addTenants(world, 'second', 'third', 'fourth');
});
afterAll(() => world.close());

test('an upload just above the minimum rate is aborted when others wait for its slot', async () => {
  const slow = await beginUpload(world, firstTenant(world));
  await untilSlotsAre(world, 'uploads', 1, 0);
  let isOver = false;
  const drip = async (): Promise<void> => {
    while (!isOver && (await slow.send(DRIP.bytes))) await Bun.sleep(DRIP.every);
  };
  /** Repeats the upload, as a client does after a 503, until the slow one has ended. */
  const ask = async (tenant: Tenant): Promise<number> => {
    for (;;) {
      const { status } = await uploadPicture(world, tenant);
      if (status !== 503 || isOver) return status;
    }
  };
  const dripping = drip();
  const asking = others.map(ask);
  const reply = await within('the end of the slow upload', slow.connection.reply, 120_000);
  isOver = true;
  expect(reply?.status).toBe(408);
  await dripping;
  await Promise.all(asking);
  expect(await Promise.all(others.map(async (tenant) => (await uploadPicture(world, tenant)).status))).toEqual([
    201, 201, 201,
  ]);
  await untilSlotsAre(world, 'uploads', 0, 0);
});
