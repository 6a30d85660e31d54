import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import * as fixtures from '../support/fixtures.ts';
import { sized } from '../support/long.ts';
import { within } from '../support/until.ts';
import { World } from '../support/world.ts';
import { gate, inTurn, serve, serveGated, status } from './support/answers.ts';
import { megabyte, movie, picture } from './support/files.ts';
import {
  accepted,
  eventually,
  expectActive,
  importUrl,
  itemCount,
  leftoversOfKilled,
  loopback,
  settled,
  show,
  withoutCovers,
} from './support/imports.ts';
import { Origin } from './support/origin.ts';

// Far below a lease of 30 seconds: what is given back, or was never begun, need not wait for one to run out.
const soon = 15_000;
setDefaultTimeout(60_000);

let world: World;
let origin: Origin;
let itemsBefore: number;

beforeAll(async () => {
  [world, origin] = await Promise.all([World.open({ ...loopback, ...withoutCovers }), Origin.open()]);
});

beforeEach(async () => {
  itemsBefore = await itemCount(world);
});

afterAll(async () => {
  origin.close();
  await world.close();
});

const film = movie(2 * megabyte);

/** "after gc": what a killed process left in the middle is gone, and nothing else is. */
async function expectCleanAfterGc(): Promise<void> {
  await world.run(['gc']);
  expect(await leftoversOfKilled(world)).toEqual([]);
}

describe('The server is told to end', () => {
  for (const signal of sized(['SIGTERM'] as const, ['SIGTERM', 'SIGINT'] as const)) {
    test(`${signal} four times in the middle of a video: it ends cleanly, the next goes on at once`, async () => {
      const half = serveGated(film, megabyte, gate());
      // More interruptions than there are attempts: none of them is the origin's failure.
      const page = origin.page('film.mp4', inTurn(half, half, half, half, serve(film)));
      const item = accepted(await importUrl(world, page.url));
      for (let round = 1; round <= 4; round++) {
        const running = () => (page.requests.length === round && page.open === 1) || undefined;
        await eventually('the import runs', running, soon);
        expect(await within('the end of the server', world.server.end(signal), soon)).toBe(0);
        await eventually('the connection is gone', () => page.open === 0 || undefined);
        await world.restart();
      }
      await expectActive(world, await settled(world, item, soon), film);
      expect(page.requests).toHaveLength(5);
      await expectCleanAfterGc();
    });
  }

  test('SIGTERM while a client waits for the 201 of its image: it gets an answer that holds', async () => {
    const rest = gate();
    const bytes = picture(2 * megabyte);
    const page = origin.page('beach.jpg', inTurn(serveGated(bytes, megabyte, rest), serve(bytes)));
    const request = importUrl(world, page.url);
    await eventually('the origin is asked', () => page.open === 1 || undefined);
    const ended = world.server.end('SIGTERM');
    await eventually('new connections are refused', () =>
      fetch(`${world.server.url}/health`).then(
        (response) => (response.status === 200 ? undefined : true),
        () => true,
      ),
    );
    rest.open();
    const reply = await within('the answer', request, soon);
    expect([201, 202]).toContain(reply.status);
    expect(await within('the end of the server', ended, soon)).toBe(0);
    await world.restart();
    const { id } = Object(Object(reply.json).data)[0];
    await expectActive(world, await settled(world, { id }, soon), bytes);
  });
});

describe('kill -9, where nobody has to wait for a lease', () => {
  // Who waits for a lease to end waits for 30 seconds.
  const atOnce = 10_000;

  test('an import that a killed process of this host was at: the next one begins it anew at once', async () => {
    const page = origin.page('film.mp4', inTurn(serveGated(film, megabyte, gate()), serve(film)));
    const item = accepted(await importUrl(world, page.url));
    await eventually('the import runs', () => page.open === 1 || undefined);
    await world.server.end('SIGKILL');
    const killed = performance.now();
    await world.restart();
    await eventually('the origin is asked again', () => page.requests.length === 2 || undefined, atOnce);
    expect(performance.now() - killed).toBeLessThan(atOnce);
    await expectActive(world, await settled(world, item, soon), film);
    await expectCleanAfterGc();
  });

  test('an image whose client waits for its 201: nobody was told, so nothing is there', async () => {
    const page = origin.page('beach.png', serveGated(picture(2 * megabyte), megabyte, gate()));
    const request = importUrl(world, page.url).then(
      () => 'answered',
      () => 'cut off',
    );
    await eventually('the origin is asked', () => page.open === 1 || undefined);
    await world.server.end('SIGKILL');
    expect(await request).toBe('cut off');
    await world.restart();
    expect(await itemCount(world)).toBe(itemsBefore);
    await expectCleanAfterGc();
    expect(page.requests).toHaveLength(1);
  });

  test('what was acknowledged with 201 is there', async () => {
    const page = origin.page('beach.jpg', serve(fixtures.jpeg()));
    const reply = await importUrl(world, page.url);
    await world.server.end('SIGKILL');
    expect(reply.status).toBe(201);
    await world.restart();
    const { id } = Object(Object(reply.json).data)[0];
    await expectActive(world, await show(world, id), fixtures.jpeg());
  });

  test('what waits for its next try is tried at its time', async () => {
    const page = origin.page('film.mp4', inTurn(status(503), status(503), serve(film)));
    const settings = world.server.settings;
    await world.server.end();
    world.server = { ...world.server, settings: { ...settings, IMPORT_RETRY_DELAYS: '1500,100' } };
    await world.restart();
    const item = accepted(await importUrl(world, page.url));
    await world.server.end('SIGKILL');
    await world.restart();
    await expectActive(world, await settled(world, item, soon), film);
    const [first, second, third] = page.requests.map((request) => request.at);
    expect(page.requests).toHaveLength(3);
    expect(Number(second) - Number(first)).toBeGreaterThanOrEqual(1490);
    expect(Number(third) - Number(second)).toBeGreaterThanOrEqual(90);
  });
});
