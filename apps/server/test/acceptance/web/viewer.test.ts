// These tests use the viewer, which shows an item in the whole window, by mouse, keyboard and touch.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { KeyInput, Page } from 'puppeteer-core';
import { installedBrowsers } from '../support/browsers.ts';
import { jpeg, mp4, png } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { byRole, openLibrary, POLLING, press, showDetails, untilAt, untilHolds, untilSays } from './support/page.ts';

const browsers = installedBrowsers('the viewer').slice(0, 1);

/** The number of items. They don't fit on one page of the service's list, so that neighbours have to be loaded. */
const COUNT = 130;
const nameOf = (nth: number): string => `picture ${String(nth).padStart(3, '0')}.png`;

const LIST = '/folders/{shoot}?sort=name';

let world: World;

beforeAll(async () => {
  world = await World.open();
  world.ids.shoot = await world.folder('Shoot');
  world.ids.mixed = await world.folder('Mixed');
  const inShoot = { name: 'folder_id', value: world.ids.shoot };
  const files = Array.from({ length: COUNT }, (_, nth) => file(nameOf(nth), png()));
  for (let from = 0; from < COUNT; from += 10) await world.store(inShoot, ...files.slice(from, from + 10));
  const inMixed = { name: 'folder_id', value: world.ids.mixed };
  await world.store(inMixed, file('a.jpg', jpeg()), file('b.mp4', mp4(4)), file('c.jpg', jpeg()));
});

afterAll(async () => {
  await Promise.all(browsers.map((browser) => browser.close()));
  await world.close();
});

const keys = async (page: Page, ...pressed: readonly KeyInput[]): Promise<void> => {
  for (const key of pressed) await page.keyboard.press(key);
};

const shown = (page: Page, name: string) => byRole(page, 'dialog', name);

const isClosed = (page: Page): Promise<void> => untilHolds(page, () => document.querySelector('.viewer') === null);

const untilFocused = (page: Page, name: string): Promise<void> =>
  untilHolds(
    page,
    (row: string) => document.activeElement?.role === 'row' && document.activeElement.ariaLabel === row,
    name,
  );

/** The width in pixels at which the open image is drawn. */
const drawnWidth = async (page: Page, name: string): Promise<number> =>
  (await byRole(page, 'image', name)).evaluate((image) => Math.round(image.getBoundingClientRect().width));

const untilDrawn = (page: Page, name: string, holds: (width: number) => boolean): Promise<void> =>
  until('the image has another width', async () => holds(await drawnWidth(page, name)), undefined, POLLING);

/** Waits until the animations that open an item have ended, so that its image can be dragged. */
const untilOpen = (page: Page): Promise<void> =>
  untilHolds(
    page,
    () =>
      getComputedStyle(document.querySelector('.pswp__bg') as Element).opacity === '1' &&
      document.getAnimations().every((one) => one.playState !== 'running'),
  );

const untilCanStep = (page: Page, way: 'Previous' | 'Next') =>
  page.waitForSelector(`.viewer button[aria-label="${way}"]:not([disabled])`);

describe.each(browsers.map((browser) => [browser.name, browser] as const))('the viewer in %s', (_, browser) => {
  test('opens by a click on the image, fills the window, and restores the focus and the list on closing', async () => {
    const page = await openLibrary(browser, world, LIST, { height: 500 });
    const grid = '[role="grid"]';
    await byRole(page, 'row', nameOf(0));
    await page.$eval(grid, (element) => element.scrollTo({ top: 500, behavior: 'instant' }));
    const row = await page.waitForSelector('[role="row"][aria-rowindex="18"]');
    const name = nameOf(17);
    await (await row?.waitForSelector('.tile-frame'))?.click();
    const dialog = await shown(page, name);
    const top = await page.$eval(grid, (element) => element.scrollTop);
    expect(top).toBeGreaterThan(400);
    expect(await dialog.boundingBox()).toMatchObject({ x: 0, y: 0, width: 1280, height: 500 });
    await byRole(page, 'image', name);
    for (const button of ['Previous', 'Next', 'Zoom in', 'Zoom out', 'Details', 'Close'])
      await byRole(page, 'button', button);
    expect(await page.$('[role="complementary"], aside')).toBeNull();
    await press(page, 'button', 'Close');
    await isClosed(page);
    await untilFocused(page, name);
    expect(await page.$eval(grid, (element) => element.scrollTop)).toBe(top);
    expect(await page.$('[role="row"][aria-selected="true"]')).toBeNull();
    // The first click of a double click opens the viewer, where the second click must do nothing.
    await (await page.$('[role="row"][aria-rowindex="18"] .tile-frame'))?.click({ count: 2 });
    await shown(page, name);
    await untilOpen(page);
    const fitting = await drawnWidth(page, name);
    expect(await page.$('.viewer button[aria-label="Zoom out"]:not([disabled])')).toBeNull();
    await keys(page, 'Escape');
    await untilFocused(page, name);
    // A double click next to the image also opens the item.
    await (await page.$('[role="row"][aria-rowindex="18"] .tile-name'))?.click({ count: 2 });
    await shown(page, name);
    await untilDrawn(page, name, (width) => width === fitting);
    await page.reload();
    await shown(page, name);
    await byRole(page, 'image', name);
  });

  test('steps through the whole list by keys, buttons and the filmstrip, and focuses the last item’s row', async () => {
    const page = await openLibrary(browser, world, LIST, { height: 500 });
    await (await byRole(page, 'row', nameOf(0))).focus();
    await keys(page, 'Enter');
    await shown(page, nameOf(0));
    await untilCanStep(page, 'Next');
    // The key is pressed immediately, while the image still grows from its tile.
    await keys(page, 'ArrowRight');
    await shown(page, nameOf(1));
    await keys(page, 'ArrowRight');
    await shown(page, nameOf(2));
    await byRole(page, 'image', nameOf(2));
    await press(page, 'button', 'Previous');
    await shown(page, nameOf(1));
    await press(page, 'button', 'Next');
    await shown(page, nameOf(2));
    for (let nth = 10; nth < COUNT; nth += 10) {
      const strip = await page.waitForSelector(`.viewer-strip button[aria-label="${nameOf(nth)}"]`);
      await strip?.evaluate((button) => (button as HTMLElement).click());
      await shown(page, nameOf(nth));
    }
    await byRole(page, 'image', nameOf(120));
    await untilSays(page, '121 of 130', '.viewer-bar');
    await keys(page, 'Escape');
    await isClosed(page);
    // This row was far below the visible rows.
    await untilFocused(page, nameOf(120));
    const isInView = await page.evaluate(() => {
      const [row, grid] = ['[role="row"]:focus', '[role="grid"]'].map((one) =>
        document.querySelector(one)?.getBoundingClientRect(),
      );
      return row && grid && row.top >= grid.top && row.bottom <= grid.bottom;
    });
    expect(isInView).toBe(true);
  });

  test('zooms by buttons, keys, the wheel and two fingers', async () => {
    const page = await openLibrary(browser, world, '/folders/{mixed}?sort=name');
    await (await byRole(page, 'row', 'a.jpg')).click();
    await shown(page, 'a.jpg');
    await untilOpen(page);
    const fitting = await drawnWidth(page, 'a.jpg');
    await press(page, 'button', 'Zoom in');
    await untilDrawn(page, 'a.jpg', (width) => width > fitting * 1.5);
    await press(page, 'button', 'Zoom out');
    await untilDrawn(page, 'a.jpg', (width) => width === fitting);
    await keys(page, '+', '+');
    await untilDrawn(page, 'a.jpg', (width) => width > fitting * 2.4);
    await keys(page, '-', '-', '-');
    await untilDrawn(page, 'a.jpg', (width) => width === fitting);
    await page.mouse.move(640, 400);
    await page.mouse.wheel({ deltaY: -400 });
    await untilDrawn(page, 'a.jpg', (width) => width > fitting * 1.5);
    await keys(page, '-', '-', '-');
    await untilDrawn(page, 'a.jpg', (width) => width === fitting);
    const cdp = await page.createCDPSession();
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', apart: number) =>
      cdp.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: type === 'touchEnd' ? [] : [640 - apart, 640 + apart].map((x, id) => ({ x, y: 400, id })),
      });
    await touch('touchStart', 10);
    for (let apart = 12; apart <= 40; apart += 4) await touch('touchMove', apart);
    await touch('touchEnd', 0);
    await untilDrawn(page, 'a.jpg', (width) => width > fitting * 1.5);
  });

  test('is swiped by a finger, hides its buttons on a tap, and is closed by a pull down', async () => {
    const page = await openLibrary(browser, world, '/folders/{mixed}?sort=name&type=image', {
      width: 390,
      height: 844,
    });
    await page.setViewport({ width: 390, height: 844, hasTouch: true, isMobile: true });
    await (await byRole(page, 'row', 'a.jpg')).tap();
    await shown(page, 'a.jpg');
    await untilOpen(page);
    const swipe = async (from: readonly [number, number], to: readonly [number, number]): Promise<void> => {
      const finger = await page.touchscreen.touchStart(...from);
      for (let step = 1; step <= 6; step += 1) {
        const part = step / 6;
        await finger.move(from[0] + (to[0] - from[0]) * part, from[1] + (to[1] - from[1]) * part);
        // PhotoSwipe moves the image once per frame.
        await page.evaluate(() => new Promise(requestAnimationFrame));
      }
      await finger.end();
    };
    await swipe([330, 420], [40, 420]);
    await shown(page, 'c.jpg');
    await swipe([80, 420], [370, 420]);
    await shown(page, 'a.jpg');
    await page.touchscreen.tap(195, 420);
    await page.waitForSelector('.viewer[data-bare]');
    await page.touchscreen.tap(195, 420);
    await page.waitForSelector('.viewer:not([data-bare])');
    await swipe([195, 300], [195, 700]);
    await isClosed(page);
    await untilFocused(page, 'a.jpg');
    await page.close();
  });

  test('plays videos at another speed and frame by frame', async () => {
    const page = await openLibrary(browser, world, '/folders/{mixed}?sort=name');
    await (await byRole(page, 'row', 'b.mp4')).focus();
    await keys(page, 'Enter');
    await shown(page, 'b.mp4');
    const video = await page.waitForSelector('.viewer video');
    await untilHolds(page, () => (document.querySelector('video')?.readyState ?? 0) >= 1);
    const time = () => video?.evaluate((player) => player.currentTime) ?? Promise.resolve(-1);
    await press(page, 'button', 'Next frame');
    await until('it is at its next frame', async () => (await time()) > 0);
    const frame = await time();
    expect(frame).toBeLessThan(0.5);
    await keys(page, '.');
    await until('it is two frames ahead', async () => (await time()) > frame * 1.9);
    await keys(page, ',');
    await press(page, 'button', 'Previous frame');
    await until('it is where it began', async () => (await time()) === 0);
    await (await byRole(page, 'combobox', 'Speed')).select('2');
    expect(await video?.evaluate((player) => player.playbackRate)).toBe(2);
    await untilCanStep(page, 'Next');
    await press(page, 'button', 'Next');
    await shown(page, 'c.jpg');
    await untilHolds(page, () => document.querySelector('video') === null);
  });

  test('says if a video couldn’t be loaded, and loads it when the user tries again', async () => {
    let isLost = true;
    const prepare = (tab: Page): void => {
      void tab.setRequestInterception(true);
      tab.on('request', (request) => {
        const isVideo = /\.mp4$/.test(new URL(request.url()).pathname);
        void (isLost && isVideo ? request.abort('connectionfailed') : request.continue()).catch(() => undefined);
      });
    };
    const page = await openLibrary(browser, world, '/folders/{mixed}?sort=name', { prepare });
    await (await byRole(page, 'row', 'b.mp4')).focus();
    await keys(page, 'Enter');
    await untilSays(page, 'The video couldn’t be loaded.', '.viewer-note');
    isLost = false;
    await press(page, 'button', 'Try again');
    await untilHolds(page, () => (document.querySelector('video')?.readyState ?? 0) >= 1);
    await untilHolds(page, () => document.querySelector('.viewer-note') === null);
    await page.close();
  });

  test('keeps its item and zoom while others add or delete items before it', async () => {
    const page = await openLibrary(browser, world, '/folders/{mixed}?type=image');
    await (await byRole(page, 'row', 'a.jpg')).click();
    await shown(page, 'a.jpg');
    await untilSays(page, '2 of 2', '.viewer-bar');
    await untilOpen(page);
    const fitting = await drawnWidth(page, 'a.jpg');
    await keys(page, '+', '+');
    await untilDrawn(page, 'a.jpg', (width) => width > fitting * 2.4);
    const { id } = await world.storeOne({ name: 'folder_id', value: world.ids.mixed ?? '' }, file('new.jpg', jpeg()));
    await untilSays(page, '3 of 3', '.viewer-bar');
    expect(await drawnWidth(page, 'a.jpg')).toBeGreaterThan(fitting * 2.4);
    await press(page, 'button', 'Previous');
    await shown(page, 'c.jpg');
    await byRole(page, 'image', 'c.jpg');
    await press(page, 'button', 'Previous');
    await shown(page, 'new.jpg');
    await byRole(page, 'image', 'new.jpg');
    await press(page, 'button', 'Next');
    await shown(page, 'c.jpg');
    await world.call(`DELETE /media_contents/${id}`);
    await untilSays(page, '1 of 2', '.viewer-bar');
    await byRole(page, 'image', 'c.jpg');
    expect(await page.$('.viewer button[aria-label="Previous"]:not([disabled])')).toBeNull();
    await press(page, 'button', 'Next');
    await shown(page, 'a.jpg');
    await byRole(page, 'image', 'a.jpg');
  });

  test('focuses the name of its item on F2, and toggles the details on i', async () => {
    const page = await openLibrary(browser, world, '/folders/{mixed}?sort=name&type=image');
    await (await byRole(page, 'row', 'c.jpg')).click();
    await shown(page, 'c.jpg');
    await keys(page, 'F2');
    await byRole(page, 'complementary', 'Details');
    await untilHolds(page, () => document.activeElement instanceof HTMLInputElement);
    await page.keyboard.type('renamed');
    await keys(page, 'Enter');
    await shown(page, 'renamed.jpg');
    await untilSays(page, 'Saved.', '.notices');
    // Typed text doesn't trigger the shortcuts of the viewer.
    await page.keyboard.type('i+-');
    await byRole(page, 'complementary', 'Details');
    for (let presses = 0; presses < 3; presses += 1) await keys(page, 'Backspace');
    await (await byRole(page, 'button', 'Details')).focus();
    await keys(page, 'i');
    await untilHolds(page, () => document.querySelector('aside') === null);
    await keys(page, 'i');
    await byRole(page, 'complementary', 'Details');
    await press(page, 'button', 'Close');
    await untilAt(page, '/folders/');
  });

  test('shows the details of the next item when stepping through the list', async () => {
    const page = await openLibrary(browser, world, LIST);
    await (await byRole(page, 'row', nameOf(3))).click();
    await showDetails(page, nameOf(3));
    await untilCanStep(page, 'Next');
    await keys(page, 'ArrowRight');
    await shown(page, nameOf(4));
    const name = (await byRole(page, 'textbox', 'Name')).evaluate((field) => (field as HTMLInputElement).value);
    expect(await name).toBe(nameOf(4));
  });
});
