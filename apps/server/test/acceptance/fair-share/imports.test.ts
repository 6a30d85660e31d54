import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Gate, gate, head, serve, serveGated } from '../imports/support/answers.ts';
import { megabyte, movie } from '../imports/support/files.ts';
import { accepted, expectFailed, settled, stored } from '../imports/support/imports.ts';
import { type Answer, Origin } from '../imports/support/origin.ts';
import { jpeg } from '../support/fixtures.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { addTenants, firstTenant, importFor, slots, type Tenant, untilSlotsAre } from './support/tenants.ts';

/** Settings under which no slow download is aborted. */
const PATIENT = { IMPORT_IDLE_TIMEOUT_MS: '240000', IMPORT_MIN_BYTES_PER_SECOND: '0' };

let origin: Origin;

beforeAll(async () => {
  origin = await Origin.open();
});
afterAll(() => origin.close());

const video = movie(2 * megabyte);

/** Runs a test in a world with tenants. The gate holds back everything that {@link hold} serves. */
async function inWorld(
  settings: Record<string, string>,
  row: (world: World, tenants: readonly [Tenant, Tenant, Tenant], rest: Gate) => Promise<void>,
): Promise<void> {
  const loopback = { IMPORT_ALLOWED_NETWORKS: '127.0.0.1/32', IMPORT_RETRY_DELAYS: '1' };
  const world = await World.openAlone({ ...loopback, ...settings });
  const rest = gate();
  try {
    const [second, third] = await addTenants(world, 'second', 'third');
    if (!second || !third) throw new Error('There are fewer tenants.');
    await row(world, [firstTenant(world), second, third], rest);
  } finally {
    rest.open();
    await world.close();
  }
}

const importAll = (world: World, tenant: Tenant, count: number, answer: Answer, name: string) =>
  Array.from({ length: count }, () => importFor(world, tenant, origin.page(name, answer).url));

test('any number of image imports of one workspace leaves slots for another, and opens few connections', () =>
  inWorld(PATIENT, async (world, [own, hogging], rest) => {
    let [open, max] = [0, 0];
    const held: Answer = (exchange) => {
      open += 1;
      max = Math.max(max, open);
      void exchange.closed.then(() => {
        open -= 1;
      });
      return serveGated(jpeg(), 400, rest)(exchange);
    };
    const asked = importAll(world, hogging, 100, held, 'held.jpg');
    await untilSlotsAre(world, 'fetches', 12, 48);
    await until('all connections are open', () => open === 12, 60_000);
    stored(await importFor(world, own, origin.page('beach.jpg', serve(jpeg())).url));
    expect((await slots(world, 'fetches'))[0]).toBe(12);
    rest.open();
    const statuses = (await Promise.all(asked)).map(({ status, headers }) => `${status} ${headers.get('retry-after')}`);
    for (const answer of statuses) expect(['201 null', '503 10']).toContain(answer);
    expect(max).toBe(12);
  }));

test('video imports of two workspaces leave a slot for a third', () =>
  inWorld(
    { ...PATIENT, IMPORT_CONCURRENCY: '4', IMPORT_CONCURRENCY_PER_WORKSPACE: '2' },
    async (world, [own, second, third], rest) => {
      const held = serveGated(video, megabyte, rest);
      for (const reply of importAll(world, second, 3, held, 'held.mp4')) accepted(await reply);
      for (const reply of importAll(world, third, 3, held, 'held.mp4')) accepted(await reply);
      await untilSlotsAre(world, 'imports', 3, 0);
      const item = accepted(await importFor(world, own, origin.page('film.mp4', serve(video)).url));
      expect((await settled(world, item, 60_000)).status).toBe('active');
      await untilSlotsAre(world, 'imports', 3, 0);
    },
  ));

test('the download of a video below the minimum rate is aborted', () =>
  inWorld({ IMPORT_IDLE_TIMEOUT_MS: '3000', IMPORT_MIN_BYTES_PER_SECOND: '1000' }, async (world, [own]) => {
    const trickling: Answer = async ({ send }) => {
      await send(head({ length: video.length }));
      await send(video.subarray(0, 10_000));
      for (let at = 10_000; await send(video.subarray(at, at + 1)); at += 1) await Bun.sleep(100);
    };
    const page = origin.page('trickle.mp4', trickling);
    const item = accepted(await importFor(world, own, page.url));
    await expectFailed(world, await settled(world, item, 120_000), /sent too slowly/);
    await until('the connection to the origin is closed', () => page.open === 0, 60_000);
    expect(page.requests).toHaveLength(2);
  }));
