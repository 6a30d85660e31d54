import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { HTTPRequest, Page } from 'puppeteer-core';
import { type InstalledBrowser, installedBrowsers } from '../support/browsers.ts';
import { onSqlite } from '../support/database.ts';
import { png } from '../support/fixtures.ts';
import { sized } from '../support/long.ts';
import { file } from '../support/multipart.ts';
import { startStopwatch, until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { openLibrary, untilHolds, untilSays } from './support/page.ts';

/** The maximum time in milliseconds until a page shows a change. */
const SOON = 2000;

const browsers = installedBrowsers('events in a browser').slice(0, sized(1, 2));

let world: World;

beforeAll(async () => {
  world = await World.open(onSqlite);
  await world.storeOne(file('first.png', png()));
});

afterAll(async () => {
  await Promise.all(browsers.map((browser) => browser.close()));
  await world.close();
});

/** The event streams that the pages are reading. */
const streams = new Set<HTTPRequest>();

const untilStreams = (count: number): Promise<void> => until(`${count} streams are read`, () => streams.size === count);

function countStreams(page: Page): void {
  const end = (request: HTTPRequest) => streams.delete(request);
  page.on('request', (request) => /\/events\b/.test(request.url()) && streams.add(request));
  page.on('requestfinished', end);
  page.on('requestfailed', end);
  page.on('close', () => {
    for (const request of streams) if (request.frame()?.page() === page) streams.delete(request);
  });
}

async function open(browser: InstalledBrowser, type: 'tab' | 'window'): Promise<Page> {
  const page = await openLibrary(browser, world, '/', { type, prepare: countStreams });
  await untilShown(page, 'first.png');
  return page;
}

const untilShown = (page: Page, name: string): Promise<void> => untilSays(page, name, '[role="grid"]');

/** Adds an item as a second user would. @returns after how many milliseconds all pages show it */
async function add(name: string, ...pages: readonly Page[]): Promise<number> {
  await world.storeOne(file(name, png()));
  using stopwatch = startStopwatch();
  await Promise.all(pages.map((page) => untilShown(page, name)));
  return stopwatch.elapsed();
}

describe.each(browsers.map((browser) => [browser.name, browser] as const))('in %s', (name, browser) => {
  test('windows share one event stream, which continues after one is closed or the service restarts', async () => {
    const first = await open(browser, 'window');
    await untilStreams(1);
    const second = await open(browser, 'window');
    const used = await second.$eval('.frame-usage', ({ textContent }) => textContent);
    expect(await add(`${name} one.png`, first, second)).toBeLessThan(SOON);
    await untilHolds(second, (was) => document.querySelector('.frame-usage')?.textContent !== was, used);
    await untilStreams(1);

    await first.close();
    await untilStreams(1);
    expect(await add(`${name} two.png`, second)).toBeLessThan(SOON);

    await world.server.end('SIGTERM');
    await untilSays(second, 'Can’t reach the server.', '[role="status"]');
    await world.restart();
    await untilHolds(second, () => !document.body.textContent.includes('Can’t reach the server.'));
    expect(await add(`${name} three.png`, second)).toBeLessThan(SOON);
    await untilStreams(1);
    await second.close();
  });

  test('a hidden tab reads no event stream, and catches up when it is visible again', async () => {
    const first = await open(browser, 'tab');
    await untilStreams(1);
    const second = await open(browser, 'tab');
    await untilStreams(1);
    expect(await add(`${name} four.png`, second)).toBeLessThan(SOON);
    await second.close();
    await world.storeOne(file(`${name} five.png`, png()));
    await first.bringToFront();
    await untilShown(first, `${name} four.png`);
    await untilShown(first, `${name} five.png`);
    await untilStreams(1);
    await first.close();
  });
});
