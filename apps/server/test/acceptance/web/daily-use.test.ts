import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { crc32, deflateSync } from 'node:zlib';
import type { BoundingBox, Page } from 'puppeteer-core';
import { installedBrowsers } from '../support/browsers.ts';
import { png } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { World } from '../support/world.ts';
import {
  byRole,
  fill,
  holdRequests,
  openLibrary,
  press,
  selectRow,
  showDetails,
  untilAt,
  untilHolds,
  untilSays,
} from './support/page.ts';

const browsers = installedBrowsers('daily use of the library').slice(0, 1);

/** The number of items. They don't all fit into a window of 1280 × 900 pixels. */
const COUNT = 40;
const nameOf = (nth: number): string => `picture ${String(nth).padStart(2, '0')}.png`;

let world: World;

beforeAll(async () => {
  world = await World.open();
  world.ids.shoot = await world.folder('Shoot');
  const folder = { name: 'folder_id', value: world.ids.shoot };
  const files = Array.from({ length: COUNT }, (_, nth) => file(nameOf(nth), png()));
  for (let from = 0; from < COUNT; from += 10) await world.store(folder, ...files.slice(from, from + 10));
});

afterAll(async () => {
  await Promise.all(browsers.map((browser) => browser.close()));
  await world.close();
});

/** A transparent image of 40 × 30 pixels with a dark square in its middle. */
function logo(): Uint8Array {
  const row = (y: number) => [
    0,
    ...Array.from({ length: 40 }, (_, x) => [10, 10, 20, isInside(x, y) ? 255 : 0]).flat(),
  ];
  const isInside = (x: number, y: number): boolean => x > 12 && x < 28 && y > 8 && y < 22;
  const pixels = Uint8Array.from(Array.from({ length: 30 }, (_, y) => row(y)).flat());
  const chunk = (type: string, data: Uint8Array): Uint8Array => {
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    const body = Buffer.concat([Buffer.from(type), data]);
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const header = Uint8Array.from([0, 0, 0, 40, 0, 0, 0, 30, 8, 6, 0, 0, 0]);
  const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(pixels)), chunk('IEND', new Uint8Array())];
  return Uint8Array.from(Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks]));
}

const LIST = '/folders/{shoot}?sort=name';

const selected = (page: Page): Promise<string[]> =>
  page.$$eval('[role="row"][aria-selected="true"]', (rows) => rows.map((row) => row.ariaLabel ?? '').sort());

const shownItem = (page: Page, name: string): Promise<unknown> => byRole(page, 'dialog', name);

const isClosed = (page: Page): Promise<void> => untilHolds(page, () => document.querySelector('.viewer') === null);

/** Waits until the item next to the open one is loaded. */
const untilCanStep = (page: Page, way: 'Previous' | 'Next'): Promise<unknown> =>
  page.waitForSelector(`.viewer button[aria-label="${way}"]:not([disabled])`);

describe.each(browsers.map((browser) => [browser.name, browser] as const))('in %s', (_, browser) => {
  test('opening an item clears the selection', async () => {
    const page = await openLibrary(browser, world, LIST);
    await selectRow(page, nameOf(1));
    await byRole(page, 'toolbar', 'Selection');
    await (await byRole(page, 'row', nameOf(1))).click();
    await shownItem(page, nameOf(1));
    await untilCanStep(page, 'Next');
    await page.keyboard.press('ArrowRight');
    await shownItem(page, nameOf(2));
    expect(await page.$('.selection')).toBeNull();
    await page.keyboard.press('Escape');
    await isClosed(page);
    expect(await selected(page)).toEqual([]);
  });

  test('Back leads to the page before the list, however many items were opened and closed', async () => {
    const page = await openLibrary(browser, world, '/best-times');
    await press(page, 'link', 'Library');
    for (const close of ['Escape', 'Close', 'Back']) {
      await (await byRole(page, 'row', nameOf(COUNT - 1))).click({ count: 2 });
      await shownItem(page, nameOf(COUNT - 1));
      await untilCanStep(page, 'Next');
      await page.keyboard.press('ArrowRight');
      await shownItem(page, nameOf(COUNT - 2));
      if (close === 'Escape') {
        // Escape is pressed twice: first it asks about the unsaved text, and then it must only close the item.
        await showDetails(page, nameOf(COUNT - 2));
        await fill(page, 'Label', 'Typed');
        await page.keyboard.press('Escape');
        await press(page, 'button', 'Keep editing');
        await fill(page, 'Label', '');
        await page.keyboard.press('Escape');
      } else if (close === 'Close') await press(page, 'button', 'Close');
      else await page.evaluate(() => history.back());
      await isClosed(page);
      expect([close, new URL(page.url()).pathname]).toEqual([close, '/']);
    }
    await page.evaluate(() => history.back());
    await untilAt(page, '/best-times');
    // Closing an item that was opened by its URL leaves no entry for the item in the history either.
    await page.goto(`${world.server.url}${world.fill(LIST)}`);
    const id = await (await byRole(page, 'row', nameOf(0))).evaluate((row) => row.dataset.key);
    await page.goto(`${world.server.url}/media/${id}`);
    await shownItem(page, nameOf(0));
    await press(page, 'button', 'Close');
    await untilAt(page, '/folders/');
    await page.evaluate(() => history.back());
    await untilHolds(page, () => location.search === '?sort=name');
  });

  test('Shift+click on a checkbox selects the range from the item selected before, and Escape clears the selection', async () => {
    const page = await openLibrary(browser, world, LIST);
    await (await byRole(page, 'checkbox', `Select ${nameOf(1)}`)).click();
    await page.keyboard.down('Shift');
    await (await byRole(page, 'checkbox', `Select ${nameOf(4)}`)).click();
    await page.keyboard.up('Shift');
    await untilSays(page, '4 selected', '.selection');
    expect(await selected(page)).toEqual([1, 2, 3, 4].map(nameOf));
    await (await byRole(page, 'checkbox', `Select ${nameOf(2)}`)).click();
    await untilSays(page, '3 selected', '.selection');
    // The checkbox has the focus.
    await page.keyboard.press('Escape');
    await untilHolds(page, () => document.querySelector('.selection') === null);
  });

  test('actions that the role does not allow are not offered', async () => {
    await world.token(
      'viewer',
      '{workspace}',
      ['media', 'folders', 'analytics'].flatMap((of) => ['--scope', `${of}:read`]),
    );
    await world.call('DELETE /workspaces/{workspace}/trash');
    const { id } = await world.storeOne(file('described.png', png()));
    await world.call(`PATCH /media_contents/${id}`, { json: { label: 'Coast', tags: ['sea'] } });
    await world.call(`DELETE /media_contents/${(await world.storeOne(file('gone.png', png()))).id}`);
    const names = (page: Page): Promise<string[]> =>
      page.$$eval('main button, aside button, aside input, aside textarea', (all) =>
        all.map((one) => one.ariaLabel ?? one.textContent).filter((name) => name !== ''),
      );
    const page = await openLibrary(browser, world, '/', { token: 'viewer' });
    await selectRow(page, 'described.png');
    await byRole(page, 'toolbar', 'Selection');
    await page.keyboard.press('Delete');
    await page.keyboard.press('F2');
    expect((await names(page)).filter((name) => !name.startsWith('Select all'))).toEqual([
      'Clear selection',
      'Download ZIP',
      'Copy links',
    ]);
    expect(await page.$$eval('.tree-menu, [role$="dialog"]', (all) => all.length)).toBe(0);
    await (await byRole(page, 'row', 'described.png')).click();
    await showDetails(page, 'described.png');
    await untilSays(page, 'Coast', 'aside dl');
    await byRole(page, 'link', 'sea');
    await byRole(page, 'table', 'Ready to publish');
    expect(await page.$$eval('aside :is(button, input, textarea)', (all) => all.map((one) => one.textContent))).toEqual(
      ['Copy link', 'Check the link'],
    );
    // A dropped file is neither uploaded nor opened in place of the page.
    const isIgnored = await page.evaluate(() => {
      const data = new DataTransfer();
      data.items.add(new File(['x'], 'dropped.png'));
      return !document.body.dispatchEvent(
        new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data }),
      );
    });
    expect([isIgnored, await page.$('[aria-label="Uploads"]')]).toEqual([true, null]);
    await page.goto(`${world.server.url}/trash`);
    await (await byRole(page, 'row', 'gone.png')).click();
    expect(await names(page)).toEqual([]);
    expect(await page.$('input[type="checkbox"]')).toBeNull();
    await page.goto(`${world.server.url}/posts`);
    await untilSays(page, 'No posts yet.');
    expect(await page.$eval('main', (main) => main.textContent.includes('New post'))).toBe(false);
  });

  test('a link to a folder that was deleted says so, and leads to all media', async () => {
    const page = await openLibrary(browser, world, `/folders/${crypto.randomUUID()}`);
    await untilSays(page, 'There’s no folder at this address.', '[role="alert"]');
    // The button goes once the list of folders has arrived, which may be after the list of media.
    await page.waitForSelector('aria/Upload[role="button"]', { hidden: true });
    await press(page, 'link', 'Show all media');
    await byRole(page, 'button', 'Upload');
  });

  test('items that are already in a folder are not reported as moved there', async () => {
    const [there, elsewhere] = [await world.folder('There'), await world.folder('Elsewhere')];
    await world.store({ name: 'folder_id', value: there }, file('one.png', png()));
    await world.store({ name: 'folder_id', value: elsewhere }, file('one other.png', png()));
    const page = await openLibrary(browser, world, '/?search=one');
    const move = async (): Promise<void> => {
      await press(page, 'button', 'Move');
      await (await page.waitForSelector('[role="dialog"] [role="treeitem"][aria-label="There"]'))?.click();
      await page.$$eval('[role="dialog"] button', (buttons) => buttons.at(-1)?.click());
    };
    await selectRow(page, 'one.png');
    await move();
    await untilSays(page, '1 item is already there.', '.notices');
    for (const name of ['one.png', 'one other.png']) await (await byRole(page, 'checkbox', `Select ${name}`)).click();
    await untilSays(page, '2 selected', '.selection');
    await move();
    await untilSays(page, '1 item was moved to There. 1 item is already there.', '.notices');
  });

  test('the library and best times keep their scroll position across other pages', async () => {
    const page = await openLibrary(browser, world, LIST, { height: 500 });
    await byRole(page, 'row', nameOf(0));
    const scroll = (selector: string, to: number): Promise<void> =>
      page.$eval(selector, (element, top) => element.scrollTo({ top, behavior: 'instant' }), to);
    const untilScrolled = (selector: string, to: number): Promise<void> =>
      untilHolds(page, (at: string, top: number) => document.querySelector(at)?.scrollTop === top, selector, to);
    const grid = '[role="grid"]';
    await scroll(grid, 700);
    await untilHolds(page, () => document.querySelector('[role="row"][aria-rowindex="20"]') !== null);
    await press(page, 'link', 'Best times');
    await untilSays(page, 'Best times', 'h1');
    await untilHolds(page, () => {
      const body = document.querySelector('.page-body');
      return body !== null && body.scrollHeight - body.clientHeight > 60;
    });
    await scroll('.page-body', 60);
    // The browser reports the scroll event with its next frame.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    await page.evaluate(() => history.back());
    await untilScrolled(grid, 700);
    await press(page, 'link', 'Best times');
    await untilScrolled('.page-body', 60);
    // When a different list is opened, it starts at the top.
    await press(page, 'link', 'Library');
    await untilSays(page, 'All media', 'h1');
    await untilScrolled(grid, 0);
  });

  test('a URL is imported once, however often Enter is pressed', async () => {
    const requests: { held: readonly unknown[] }[] = [];
    const prepare = (page: Page): void => void requests.push(holdRequests(page, /media\.importUrl/));
    const page = await openLibrary(browser, world, LIST, { prepare });
    await press(page, 'button', 'Import from URL');
    await fill(page, 'URL', 'https://example.com/a.png');
    await page.keyboard.press('Enter');
    await byRole(page, 'button', 'Importing');
    for (let presses = 0; presses < 2; presses += 1) await page.keyboard.press('Enter');
    // A further request would have been made before the page could answer.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
    expect(requests[0]?.held).toHaveLength(1);
    await page.close();
  });

  test('the search keeps a space that is typed before a pause', async () => {
    const page = await openLibrary(browser, world, LIST);
    const field = await byRole(page, 'searchbox', 'Search media');
    await field.type('07 ');
    await untilHolds(page, () => document.querySelectorAll('[role="row"][aria-label]').length === 1);
    expect(await field.evaluate((input) => (input as unknown as HTMLInputElement).value)).toBe('07 ');
    await press(page, 'link', 'Library');
    await untilHolds(page, () => document.querySelector<HTMLInputElement>('[type="search"]')?.value === '');
  });

  test('a new subfolder appears in the tree, and can be opened immediately', async () => {
    await world.call('POST /workspaces/{workspace}/media_library/folders', { json: { name: 'Parent' } });
    const page = await openLibrary(browser, world, '/');
    await (await byRole(page, 'treeitem', 'Parent')).click();
    await untilSays(page, 'Parent', 'h1');
    await press(page, 'button', 'New folder');
    await fill(page, 'Name', 'Child');
    await page.keyboard.press('Enter');
    await byRole(page, 'treeitem', 'Child');
    expect(await (await byRole(page, 'treeitem', 'Parent')).evaluate((row) => row.ariaExpanded)).toBe('true');
    expect(await page.$eval('h1', (title) => title.textContent)).toBe('Parent');
    await untilSays(page, 'Child was created.', '.notices');
    await press(page, 'link', 'Open it');
    await untilSays(page, 'Child', 'h1');
  });

  test('on an upright tablet, the filters fill one row', async () => {
    const page = await openLibrary(browser, world, '/', { width: 820, height: 1180 });
    await byRole(page, 'combobox', 'Type');
    const boxes = await page.$$eval('main header select', (all) =>
      all.map((one) => one.getBoundingClientRect()).map(({ left, right, top }) => ({ left, right, top })),
    );
    expect(boxes).toHaveLength(4);
    expect(new Set(boxes.map(({ top }) => top)).size).toBe(1);
    const gaps = boxes.slice(1).map(({ left }, at) => left - (boxes[at]?.right ?? 0));
    expect(Math.max(...gaps)).toBeLessThan(10);
  });

  test('on low screens, media have enough room, and the sign-out button can be reached', async () => {
    // A window of 1280 × 900 pixels at a zoom of 400 %, and two phones on their side.
    const page = await openLibrary(browser, world, '/', { width: 320, height: 225 });
    await byRole(page, 'grid', 'Media');
    const roomFor = () => page.$eval('[role="grid"]', ({ clientHeight }) => clientHeight);
    expect(await roomFor()).toBeGreaterThan(150);
    await page.setViewport({ width: 740, height: 360 });
    await untilHolds(page, () => (document.querySelector('[role="grid"]')?.clientHeight ?? 0) > 200);
    await page.setViewport({ width: 844, height: 390 });
    await byRole(page, 'button', 'Filters');
    expect(await roomFor()).toBeGreaterThan(250);
    await (await page.waitForSelector('.tile input'))?.click();
    await byRole(page, 'toolbar', 'Selection');
    expect(await roomFor()).toBeGreaterThan(250);
    await press(page, 'button', 'Clear selection');
    for (let nth = 1; nth < 8; nth += 1) await world.folder(`Folder ${nth}`);
    const more = await page.waitForSelector('.folder-cards-more button');
    const folderCount = () => page.$$eval('.folder-card', (cards) => cards.length);
    expect(await folderCount()).toBe(6);
    await more?.click();
    await untilHolds(page, () => document.querySelectorAll('.folder-card').length >= 8);
    await press(page, 'button', 'Menu');
    const signOut = await byRole(page, 'button', 'Sign out');
    await signOut.evaluate((button) => button.scrollIntoView());
    expect(await signOut.isIntersectingViewport({ threshold: 1 })).toBe(true);
    await press(page, 'button', 'Menu');
    await (await page.waitForSelector('.tile input'))?.click();
    await press(page, 'button', 'Use in post');
    await press(page, 'button', 'Choose media');
    const buttons = await page.waitForSelector('[role="dialog"]:has(.choose-media .tile) .dialog-actions');
    expect(await buttons?.isIntersectingViewport({ threshold: 1 })).toBe(true);
  });

  test('filters grow with enlarged text', async () => {
    const page = await openLibrary(browser, world, '/');
    const type = await byRole(page, 'combobox', 'Type');
    const grown = await type.evaluate((select) => {
      select.style.fontSize = '28px';
      return select.offsetHeight;
    });
    expect(grown).toBeGreaterThan(44);
  });

  test('a transparent image is shown on a checkerboard, without the placeholder behind it', async () => {
    await world.store(file('logo.png', logo()));
    const page = await openLibrary(browser, world, '/?search=logo');
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
    const tile = await byRole(page, 'row', 'logo.png');
    const backgroundOf = (selector: string): Promise<string> =>
      page.$eval(selector, (element) => getComputedStyle(element).backgroundImage);
    await page.waitForSelector('.tile-image img');
    expect(await backgroundOf('.tile-image')).toStartWith('repeating-conic-gradient');
    await tile.click({ count: 2 });
    await page.waitForSelector('.viewer img[alt="logo.png"]');
    expect(await backgroundOf('.viewer img[alt="logo.png"]')).toStartWith('repeating-conic-gradient');
  });

  test.each([
    [1280, 800],
    [1024, 768],
    [390, 844],
  ])('the list of uploads, a notice and the toolbar do not overlap at %i × %i', async (width, height) => {
    const page = await openLibrary(browser, world, LIST, { width, height });
    await byRole(page, 'row', nameOf(0));
    // The test drops a damaged image. Its upload fails, so the list of uploads stays open.
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.items.add(new File(['x'], 'damaged.png'));
      const dropped = new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data });
      document.body.dispatchEvent(dropped);
    });
    await untilSays(page, '1 failed', '[aria-label="Uploads"]');
    await (await byRole(page, 'checkbox', `Select ${nameOf(4)}`)).click();
    await press(page, 'button', 'Tag');
    await fill(page, 'Tags', 'sea');
    await page.keyboard.press('Enter');
    await untilSays(page, 'tagged', '.notice');
    const [uploads, notice, toolbar, grid] = await Promise.all(
      ['.uploads', '.notice', '.selection', '[role="grid"]'].map(async (selector) =>
        (await page.$(selector))?.boundingBox(),
      ),
    );
    if (!uploads || !notice || !toolbar || !grid) throw new Error('Nothing to compare.');
    const meet = (one: BoundingBox, other: BoundingBox): boolean =>
      one.x < other.x + other.width &&
      other.x < one.x + one.width &&
      one.y < other.y + other.height &&
      other.y < one.y + one.height;
    const pairs = [
      [uploads, notice],
      [uploads, toolbar],
      [notice, toolbar],
      [toolbar, grid],
    ] as const;
    expect(pairs.map(([one, other]) => meet(one, other))).toEqual([false, false, false, false]);
  });
});
