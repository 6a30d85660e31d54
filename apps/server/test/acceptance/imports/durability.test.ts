import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import * as fixtures from '../support/fixtures.ts';
import { endJobLeases } from '../support/leases.ts';
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
  leftoversAfterGc,
  loopback,
  settled,
  show,
  withoutCovers,
} from './support/imports.ts';
import { Origin } from './support/origin.ts';

// Milliseconds within which imports that were released or never started must continue. This is far less than a lease of
// 30 seconds, because they don't have to wait until one expires.
const soon = 15_000;
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

const video = movie(2 * megabyte);

/** Runs `gc`, and expects that no unfinished files are left, and that the objects of all active items still exist. */
async function expectCleanAfterGc(): Promise<void> {
  expect(await leftoversAfterGc(world)).toEqual([]);
}

describe('a server that gets', () => {
  for (const signal of sized(['SIGTERM'] as const, ['SIGTERM', 'SIGINT'] as const)) {
    test(`${signal} during a video import stops cleanly, and the next one continues immediately`, async () => {
      const half = serveGated(video, megabyte, gate());
      // The import is interrupted more often than it has attempts: interruptions must not count as failed attempts.
      const page = origin.page('film.mp4', inTurn(half, half, half, half, serve(video)));
      const item = accepted(await importUrl(world, page.url));
      for (let round = 1; round <= 4; round++) {
        const running = () => (page.requests.length === round && page.open === 1) || undefined;
        await eventually('the import runs', running, soon);
        expect(await within('the end of the server', world.server.end(signal), soon)).toBe(0);
        await eventually('the connection is closed', () => page.open === 0 || undefined);
        await world.restart();
      }
      await expectActive(world, await settled(world, item, soon), video);
      expect(page.requests).toHaveLength(5);
      await expectCleanAfterGc();
    });
  }

  test('SIGTERM during an image import still sends its response', async () => {
    const rest = gate();
    const bytes = picture(2 * megabyte);
    const page = origin.page('beach.jpg', inTurn(serveGated(bytes, megabyte, rest), serve(bytes)));
    const request = importUrl(world, page.url);
    await eventually('the origin is requested', () => page.open === 1 || undefined);
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

describe('after kill -9', () => {
  test('an import is restarted by the next process when its lease has expired', async () => {
    const page = origin.page('film.mp4', inTurn(serveGated(video, megabyte, gate()), serve(video)));
    const item = accepted(await importUrl(world, page.url));
    await eventually('the import runs', () => page.open === 1 || undefined);
    await world.server.end('SIGKILL');
    await world.restart();
    await endJobLeases(world);
    await eventually('the origin is requested again', () => page.requests.length === 2 || undefined, soon);
    await expectActive(world, await settled(world, item, soon), video);
    await expectCleanAfterGc();
  });

  test('an image is not stored if the client has not received a 201', async () => {
    const page = origin.page('beach.png', serveGated(picture(2 * megabyte), megabyte, gate()));
    const request = importUrl(world, page.url).then(
      () => 'answered',
      () => 'cut off',
    );
    await eventually('the origin is requested', () => page.open === 1 || undefined);
    await world.server.end('SIGKILL');
    expect(await request).toBe('cut off');
    await world.restart();
    expect(await itemCount(world)).toBe(itemsBefore);
    await expectCleanAfterGc();
    expect(page.requests).toHaveLength(1);
  });

  test('an image that was answered with 201 is stored', async () => {
    const page = origin.page('beach.jpg', serve(fixtures.jpeg()));
    const reply = await importUrl(world, page.url);
    await world.server.end('SIGKILL');
    expect(reply.status).toBe(201);
    await world.restart();
    const { id } = Object(Object(reply.json).data)[0];
    await expectActive(world, await show(world, id), fixtures.jpeg());
  });

  test('a waiting import is retried at the planned time', async () => {
    const page = origin.page('film.mp4', inTurn(status(503), status(503), serve(video)));
    const settings = world.server.settings;
    await world.server.end();
    world.server = { ...world.server, settings: { ...settings, IMPORT_RETRY_DELAYS: '1500,100' } };
    await world.restart();
    const item = accepted(await importUrl(world, page.url));
    await world.server.end('SIGKILL');
    await world.restart();
    await expectActive(world, await settled(world, item, soon), video);
    const [first, second, third] = page.requests.map((request) => request.at);
    expect(page.requests).toHaveLength(3);
    expect(Number(second) - Number(first)).toBeGreaterThanOrEqual(1490);
    expect(Number(third) - Number(second)).toBeGreaterThanOrEqual(90);
  });
});
