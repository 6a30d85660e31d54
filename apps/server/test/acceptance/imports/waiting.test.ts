import { afterAll, beforeAll, setDefaultTimeout, test } from 'bun:test';
import { World } from '../support/world.ts';
import { serve } from './support/answers.ts';
import { eventually, expectRefused, importUrl, leftovers, loopback } from './support/imports.ts';
import { Origin } from './support/origin.ts';
import { leaseRows } from './waiting/leases.ts';
import { stallRows } from './waiting/stalls.ts';

// Whatever waits for the server's own clocks (10 s for a head, 30 s without a byte, 30 s of a lease) waits here, all at once.
setDefaultTimeout(150_000);

let world: World;
let origin: Origin;

beforeAll(async () => {
  [world, origin] = await Promise.all([World.open(loopback), Origin.open()]);
});

afterAll(async () => {
  origin.close();
  await world.close();
});

leaseRows(() => origin);
stallRows(
  () => world,
  () => origin,
);

test('the server still decides at once after all that, and no file remains', async () => {
  expectRefused(await importUrl(world, origin.page('text', serve(Buffer.from('text'))).url), 422);
  await eventually('no file is left over', async () => (await leftovers(world)).length === 0 || undefined);
});
