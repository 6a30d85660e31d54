import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import * as fixtures from '../support/fixtures.ts';
import { World } from '../support/world.ts';
import { type Gate, gate, inTurn, serve, serveGated, status } from './support/answers.ts';
import { megabyte, movie } from './support/files.ts';
import {
  accepted,
  eventually,
  expectActive,
  importUrl,
  loopback,
  settled,
  stored,
  withoutCovers,
} from './support/imports.ts';
import { type Answer, Origin, type Page } from './support/origin.ts';

let origin: Origin;

beforeAll(async () => {
  origin = await Origin.open();
});

afterAll(() => origin.close());

const video = movie(2 * megabyte);

/** Counts open connections, and remembers the highest count. */
class Meter {
  now = 0;
  max = 0;

  count(closed: Promise<void>): void {
    this.now += 1;
    this.max = Math.max(this.max, this.now);
    void closed.then(() => {
      this.now -= 1;
    });
  }
}

/**
 * Pages that send half of a file, and the other half once `rest` is opened. If given, `first` answers the first
 * request.
 */
function heldPages(size: number, rest: Gate, meters: readonly Meter[], first?: Answer): Page[] {
  const held = serveGated(video, megabyte, rest);
  const counted: Answer = (exchange) => {
    for (const meter of meters) meter.count(exchange.closed);
    return held(exchange);
  };
  const answer = first === undefined ? counted : inTurn(first, counted);
  return Array.from({ length: size }, () => origin.page('film.mp4', answer));
}

async function inWorld(settings: Record<string, string>, row: (world: World) => Promise<void>): Promise<void> {
  const world = await World.openAlone({ ...loopback, ...withoutCovers, IMPORT_RETRY_DELAYS: '1,1', ...settings });
  try {
    await row(world);
  } finally {
    await world.close();
  }
}

const importAll = (world: World, pages: readonly Page[], token = 'all') =>
  Promise.all(pages.map(async (page) => accepted(await importUrl(world, page.url, {}, { token }))));

async function expectAllActive(world: World, items: readonly { id: string }[]): Promise<void> {
  for (const item of items) await expectActive(world, await settled(world, item), video);
}

/** Expects a video of the other workspace to become active in the meantime. */
async function expectServed(world: World, answer: Answer): Promise<void> {
  const [item] = await importAll(world, [origin.page('other.mp4', answer)], 'foreign');
  expect((await settled(world, { id: String(item?.id) }, 30_000, 'foreign')).status).toBe('active');
}

describe('concurrent imports', () => {
  test.concurrent('are limited per workspace, including imports that continue after the response', () =>
    inWorld({ IMPORT_CONCURRENCY_PER_WORKSPACE: '2' }, async (world) => {
      const [rest, meter] = [gate(), new Meter()];
      const pages = heldPages(5, rest, [meter]);
      const items = await importAll(world, pages);
      await eventually('all but two connections are closed', () => meter.now === 2 || undefined);
      await expectServed(world, serve(video));
      expect(meter.now).toBe(2);
      rest.open();
      await expectAllActive(world, items);
      // Two imports kept their connection to the origin. The other three had to wait, and requested their file again.
      expect(pages.map((page) => page.requests.length).sort()).toEqual([1, 1, 2, 2, 2]);
    }));

  test.concurrent('are limited per process, for any number of workspaces', () =>
    inWorld({ IMPORT_CONCURRENCY: '3', IMPORT_CONCURRENCY_PER_WORKSPACE: '2' }, async (world) => {
      const [rest, all, own, foreign] = [gate(), new Meter(), new Meter(), new Meter()];
      const items = await importAll(world, heldPages(4, rest, [all, own], status(503)));
      const others = await importAll(world, heldPages(4, rest, [all, foreign], status(503)), 'foreign');
      await eventually('three are on their way', () => all.now === 3 || undefined);
      // A small image is imported before the request is answered, and needs no slot.
      stored(await importUrl(world, origin.page('beach.jpg', serve(fixtures.jpeg())).url));
      expect(all.now).toBe(3);
      rest.open();
      await expectAllActive(world, items);
      for (const { id } of others) expect((await settled(world, { id }, 30_000, 'foreign')).status).toBe('active');
      expect(all.max).toBe(3);
      expect(own.max).toBeLessThanOrEqual(2);
      expect(foreign.max).toBeLessThanOrEqual(2);
    }));
});
