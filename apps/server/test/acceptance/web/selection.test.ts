// These tests cover selecting media, using every page by keyboard, and using the library on a phone.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KeyInput, Page } from 'puppeteer-core';
import { installedBrowsers } from '../support/browsers.ts';
import { png } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { arrayAt, at, stringAt } from '../support/reply.ts';
import { removeFolder, scratchFolder } from '../support/server.ts';
import { until } from '../support/until.ts';
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

const browsers = installedBrowsers('selected media and keys').slice(0, 1);

const NAMES = ['first.png', 'second.png', 'third.png', 'fourth.png'];

/** The number of items in a folder with two pages. */
const MANY = 110;

let world: World;

beforeAll(async () => {
  world = await World.open();
  world.ids.shoot = await world.folder('Shoot');
  for (const name of NAMES) {
    const { id } = await world.storeOne({ name: 'folder_id', value: world.ids.shoot }, file(name, png()));
    world.ids[name] = id;
  }
  world.ids.many = await world.folder('Many');
  const folder = { name: 'folder_id', value: world.ids.many };
  const files = Array.from({ length: MANY }, (_, nth) => file(`${nth}.png`, png()));
  for (let from = 0; from < MANY; from += 10) await world.store(folder, ...files.slice(from, from + 10));
  const profile = await world.call('POST /workspaces/{workspace}/profiles', { json: { name: 'Us', network: 'x' } });
  world.ids.profile = stringAt(profile.json, 'data', 'id');
});

afterAll(async () => {
  await Promise.all(browsers.map((browser) => browser.close()));
  await world.close();
});

const LIST = '/folders/{shoot}?sort=created_at';

const check = async (page: Page, ...names: readonly string[]): Promise<void> => {
  for (const name of names) await (await byRole(page, 'checkbox', `Select ${name}`)).click();
};

const held = async (page: Page, modifier: KeyInput, key: KeyInput): Promise<void> => {
  await page.keyboard.down(modifier);
  await page.keyboard.press(key);
  await page.keyboard.up(modifier);
};

const altTextOf = async (name: string) =>
  at((await world.call(`GET /media_contents/${world.ids[name]}?include=details`)).json, 'data', 'details', 'alt_text');

const isGone = (page: Page, selector: string): Promise<void> =>
  untilHolds(page, (gone: string) => document.querySelector(gone) === null, selector);

/** Changes a page as Google Translate does, which puts a copy of each text into elements of its own. */
const translate = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts: Text[] = [];
    while (walker.nextNode()) texts.push(walker.currentNode as Text);
    for (const text of texts) {
      const font = document.createElement('font');
      font.textContent = text.data;
      text.replaceWith(font);
    }
  });

/** Returns the accessible names and sizes of the controls that are smaller than a fingertip. */
const small = (page: Page): Promise<string[]> =>
  page.$$eval('button, a[href], input, select, textarea, [role="treeitem"], [role="option"], [role="tab"]', (all) => {
    // Leaves out controls that only screen readers use, and links in sentences, which can't be higher than their line.
    const isSeen = (one: Element) =>
      one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
      one.closest('.visually-hidden, [inert], [aria-hidden="true"], [data-live-announcer]') === null &&
      one.getAttribute('type') !== 'file' &&
      one.closest('p') === null &&
      one.ariaLabel !== 'Dismiss';
    return all.filter(isSeen).flatMap((one) => {
      const { width, height } = one.getBoundingClientRect();
      const isLarge = width > 43.9 && height > 43.9;
      return isLarge ? [] : [`${one.ariaLabel ?? one.textContent}: ${Math.round(width)} × ${Math.round(height)}`];
    });
  });

/** The sizes of a large screen, two laptops and a phone in pixels. */
const SIZES = [
  [1440, 900],
  [1280, 800],
  [1024, 768],
  [360, 740],
] as const;

/** Selects two items, clears the selection, and expects that this moves nothing else on the page. */
async function expectToolbarInHeader(page: Page): Promise<void> {
  const boxOf = async (selector: string) => (await page.$(selector))?.boundingBox();
  // The grid lays out its rows one frame after the size of the window has changed.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  const [header, row] = [await boxOf('.library-header'), await boxOf('[role="row"]')];
  await check(page, 'first.png', 'second.png');
  await byRole(page, 'toolbar', 'Selection');
  await untilSays(page, '2 selected', '[role="toolbar"]');
  expect(await boxOf('.selection')).toEqual(header as never);
  expect(await boxOf('[role="row"]')).toEqual(row as never);
  const buttons = [
    'Clear selection',
    'Select all 4',
    'Move',
    'Tag',
    'Alt text',
    'Download ZIP',
    'Copy links',
    'Use in post',
    'Delete',
  ];
  const shown = await page.$$eval('[role="toolbar"] button', (all) =>
    all.map((one) => [
      one.ariaLabel ?? one.textContent,
      one.scrollWidth <= one.clientWidth + 1 && one.getBoundingClientRect().right <= innerWidth,
    ]),
  );
  expect(shown).toEqual(buttons.map((name) => [name, true]));
  // The toolbar has replaced the header.
  expect(await page.$('aria/Upload[role="button"]')).toBeNull();
  await press(page, 'button', 'Clear selection');
  await isGone(page, '.selection');
  await byRole(page, 'button', 'Upload');
  await untilHolds(page, () => document.activeElement?.role === 'row');
}

describe.each(browsers.map((browser) => [browser.name, browser] as const))('in %s', (_, browser) => {
  test('the selection toolbar replaces the header at every size, and no row moves', async () => {
    const page = await openLibrary(browser, world, LIST);
    await byRole(page, 'row', 'first.png');
    for (const [width, height] of SIZES) {
      await page.setViewport({ width, height });
      await expectToolbarInHeader(page);
    }
  });

  test('the number of selected items stays right while the browser translates the page', async () => {
    const page = await openLibrary(browser, world, LIST);
    await check(page, 'first.png');
    await untilSays(page, '1 selected', '[role="toolbar"]');
    await translate(page);
    await check(page, 'second.png');
    await untilSays(page, '2 selected', '[role="toolbar"]');
    await check(page, 'third.png');
    await untilSays(page, '3 selected', '[role="toolbar"]');
  });

  test('a click next to an image selects the image, Shift+click selects a range, and a click on an image opens it', async () => {
    const page = await openLibrary(browser, world, LIST);
    await selectRow(page, 'first.png');
    await page.keyboard.down('Shift');
    await selectRow(page, 'third.png');
    await page.keyboard.up('Shift');
    await untilSays(page, '3 selected', '[role="toolbar"]');
    await check(page, 'second.png');
    await untilSays(page, '2 selected', '[role="toolbar"]');
    // Shortcuts also work while a checkbox has the focus.
    await page.keyboard.press('Delete');
    await byRole(page, 'alertdialog', 'Delete 2 items?');
    await page.keyboard.press('Escape');
    await isGone(page, '[role="alertdialog"]');
    // Shift+click also works on the image itself.
    await page.keyboard.down('Shift');
    await (await byRole(page, 'row', 'fourth.png')).click();
    await page.keyboard.up('Shift');
    await untilSays(page, 'selected', '[role="toolbar"]');
    expect(await page.$('.viewer')).toBeNull();
    await (await byRole(page, 'row', 'third.png')).click();
    await byRole(page, 'dialog', 'third.png');
    await page.keyboard.press('Escape');
    await isGone(page, '.viewer');
    await byRole(page, 'toolbar', 'Selection');
  });

  test('a change to selected rows that are still being read is made to all of them', async () => {
    let release = (): void => undefined;
    const prepare = (tab: Page): void => {
      ({ release } = holdRequests(tab, /media\.list.*page%22%3A2/));
    };
    const page = await openLibrary(browser, world, '/folders/{many}?sort=name', { prepare });
    await selectRow(page, '0.png');
    await press(page, 'button', `Select all ${MANY}`);
    await untilSays(page, `${MANY} selected`, '[role="toolbar"]');
    await (await byRole(page, 'checkbox', 'Select 0.png')).click();
    await untilSays(page, `${MANY - 1} selected`, '[role="toolbar"]');
    await press(page, 'button', 'Tag');
    await fill(page, 'Tags', 'late');
    await press(page, 'button', 'Add');
    await isGone(page, '[role="dialog"]');
    const refreshed = page.waitForResponse((response) => /media\.list.*page%22%3A1/.test(response.url()));
    release();
    await untilSays(page, `${MANY - 1} items were tagged late.`, '.notices');
    await refreshed;
    // Removing tags can be undone as well.
    await press(page, 'button', 'Tag');
    await fill(page, 'Tags', 'Late');
    await press(page, 'button', 'Remove');
    await untilSays(page, `${MANY - 1} items were untagged Late.`, '.notices');
    await held(page, 'Control', 'z');
    await untilSays(page, `${MANY - 1} items were tagged again.`, '.notices');
    const { json } = await world.call(
      'GET /workspaces/{workspace}/media_contents?folder_id={many}&tag=late&per_page=1',
    );
    expect(at(json, 'meta', 'total')).toBe(MANY - 1);
    await page.close();
  });

  test('alt texts of several items are saved unless others wrote one meanwhile, and undone by Ctrl+Z', async () => {
    const page = await openLibrary(browser, world, LIST);
    await check(page, 'first.png', 'second.png');
    await press(page, 'button', 'Alt text');
    await byRole(page, 'dialog', 'Alt text of 2 items');
    await fill(page, 'first.png', 'The first');
    await fill(page, 'second.png', 'The second');
    await world.call(`PATCH /media_contents/${world.ids['second.png']}`, { json: { alt_text: 'By others' } });
    await press(page, 'button', 'Save');
    await untilSays(page, 'Someone else described it meanwhile: “By others”.', '[role="dialog"]');
    expect([await altTextOf('first.png'), await altTextOf('second.png')]).toEqual(['The first', 'By others']);
    // Saving again replaces the text of others, and leaves the saved one alone.
    await press(page, 'button', 'Save');
    await isGone(page, '[role="dialog"]');
    expect([await altTextOf('first.png'), await altTextOf('second.png')]).toEqual(['The first', 'The second']);
    await held(page, 'Control', 'z');
    await until('the second save is undone', async () => (await altTextOf('second.png')) === 'By others');
    // The items are still selected, and the dialog shows their present texts.
    await untilSays(page, '1 alt text put back.', '.notices');
    await press(page, 'button', 'Alt text');
    const texts = async (): Promise<string[]> =>
      page.$$eval('.alt-texts textarea', (fields) => fields.map(({ value }) => value));
    await byRole(page, 'textbox', 'first.png');
    expect(await texts()).toEqual(['The first', 'By others']);
    await press(page, 'button', 'Cancel');
    await isGone(page, '[role="dialog"]');
    await held(page, 'Control', 'z');
    await until('the first save is undone', async () => (await altTextOf('first.png')) === null);
  });

  test('alt texts that were typed are discarded only after confirmation, even if the user goes to another page', async () => {
    const page = await openLibrary(browser, world, LIST);
    await press(page, 'link', 'Best times');
    await untilAt(page, '/best-times');
    await page.goBack();
    await check(page, 'first.png');
    await press(page, 'button', 'Alt text');
    await fill(page, 'first.png', 'A long description');
    await page.evaluate(() => history.forward());
    await byRole(page, 'alertdialog', 'Discard unsaved changes?');
    await press(page, 'button', 'Keep editing');
    const field = await byRole(page, 'textbox', 'first.png');
    expect(await field.evaluate((one) => (one as unknown as HTMLTextAreaElement).value)).toBe('A long description');
    await page.evaluate(() => history.forward());
    await press(page, 'button', 'Discard');
    await untilAt(page, '/best-times');
    await isGone(page, '[role="dialog"]');
  });

  test.skipIf(browser.name !== 'Chromium')(
    'signed links are copied where the browser lets the page write only in the click, as Safari does',
    async () => {
      await world.command(['workspace', 'update', world.ids.workspace ?? '', '--links', 'signed']);
      const page = await openLibrary(browser, world, LIST);
      await page
        .browserContext()
        .overridePermissions(world.server.url, ['clipboard-read', 'clipboard-write', 'clipboard-sanitized-write']);
      await page.evaluate(() => {
        navigator.clipboard.writeText = () => Promise.reject(new DOMException('not in a click', 'NotAllowedError'));
        document.execCommand = () => false;
      });
      await check(page, 'first.png', 'third.png');
      await press(page, 'button', 'Copy links');
      await untilSays(page, '2 links copied. They work for 7 days.', '.notices');
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      for (const link of copied.split('\n')) expect((await fetch(link)).headers.get('content-type')).toBe('image/png');
      expect(copied.split('\n')).toHaveLength(2);
      await world.command(['workspace', 'update', world.ids.workspace ?? '', '--links', 'public']);
    },
  );

  test('links of selected items are copied, one per line, and selected items are used in a post', async () => {
    const page = await openLibrary(browser, world, LIST);
    await page.evaluate(() => {
      Object.defineProperty(navigator, 'clipboard', {
        value: { writeText: async (text: string) => Object.assign(globalThis, { copied: text }) },
      });
    });
    await check(page, 'first.png', 'third.png');
    await press(page, 'button', 'Copy links');
    await untilSays(page, '2 links copied.', '.notices');
    const copied = await page.evaluate(() => (globalThis as unknown as { copied: string }).copied);
    for (const link of copied.split('\n')) expect((await fetch(link)).headers.get('content-type')).toBe('image/png');
    expect(copied.split('\n')).toHaveLength(2);
    await press(page, 'button', 'Use in post');
    await byRole(page, 'dialog', 'Post');
    await byRole(page, 'button', 'Remove first.png');
    await (await byRole(page, 'combobox', 'Profile')).select(world.ids.profile ?? '');
    await page.$eval('input[type="datetime-local"]', (field) => {
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, '2027-01-31T18:30');
      field.dispatchEvent(new Event('input', { bubbles: true }));
    });
    await press(page, 'button', 'Save');
    await untilSays(page, 'The post was added.', '.notices');
    const { json } = await world.call('GET /workspaces/{workspace}/posts');
    expect(at(json, 'data', 0, 'media_content_ids')).toEqual([world.ids['first.png'], world.ids['third.png']] as never);
    await world.call(`DELETE /posts/${stringAt(json, 'data', 0, 'id')}`);
  });

  test('selected items are downloaded as a ZIP file, or the reason for a refusal is shown', async () => {
    const page = await openLibrary(browser, world, LIST);
    const downloadPath = scratchFolder();
    const session = await page.createCDPSession();
    const browserContextId = page.browserContext().id;
    await session.send('Browser.setDownloadBehavior', {
      behavior: 'allow',
      downloadPath,
      ...(browserContextId !== undefined && { browserContextId }),
    });
    await check(page, 'first.png', 'third.png');
    await press(page, 'button', 'Download ZIP');
    await untilSays(page, 'The download of 2 items begins.', '.notices');
    const files = () => readdirSync(downloadPath).filter((name) => /^media-.*\.zip$/.test(name));
    await until('the file is there', () => files().length > 0);
    const text = readFileSync(join(downloadPath, files()[0] ?? ''), 'latin1');
    for (const name of ['first', 'third']) expect(text).toContain(`/${name}.png`);
    expect(text).not.toContain('second.png');
    await byRole(page, 'toolbar', 'Selection');
    // Someone else deletes a selected item.
    await world.call(`DELETE /media_contents/${world.ids['third.png']}`);
    await press(page, 'button', 'Download ZIP');
    await untilSays(page, 'The selected media item is invalid.', '.notices');
    await world.call(`POST /trash/${world.ids['third.png']}/restore`);
    removeFolder(downloadPath);
  });

  test('F2 renames the focused row, and Ctrl+Z restores its name', async () => {
    const page = await openLibrary(browser, world, LIST);
    await (await byRole(page, 'row', 'fourth.png')).focus();
    await page.keyboard.press('F2');
    await byRole(page, 'dialog', 'Rename fourth.png');
    await fill(page, 'Name', 'last');
    await page.keyboard.press('Enter');
    await byRole(page, 'row', 'last.png');
    await untilSays(page, 'fourth.png was renamed last.png.', '.notices');
    // Control+Z in a text field undoes typing instead of the renaming.
    await (await byRole(page, 'searchbox', 'Search media')).focus();
    await held(page, 'Control', 'z');
    await byRole(page, 'row', 'last.png');
    await (await byRole(page, 'row', 'last.png')).focus();
    await held(page, 'Control', 'z');
    await byRole(page, 'row', 'fourth.png');
    // F2 also renames a folder in the tree.
    await (await byRole(page, 'treeitem', 'Shoot')).focus();
    await page.keyboard.press('F2');
    await byRole(page, 'dialog', 'Rename Shoot');
    await fill(page, 'Name', 'Shooting');
    await page.keyboard.press('Enter');
    await byRole(page, 'treeitem', 'Shooting');
    await world.call('PATCH /media_library/folders/{shoot}', { json: { name: 'Shoot' } });
    await byRole(page, 'treeitem', 'Shoot');
  });

  test('/ focuses the search, ? lists the shortcuts, and Ctrl+K finds pages, folders and actions', async () => {
    const page = await openLibrary(browser, world, LIST);
    await check(page, 'first.png');
    const searches = () => document.activeElement?.matches(':is([role="search"], .library-search) *');
    await page.keyboard.press('/');
    await untilHolds(page, searches);
    await isGone(page, '.selection');
    await page.keyboard.type('/?');
    expect(await page.$('[role="dialog"]')).toBeNull();
    await page.goto(`${world.server.url}/best-times`);
    await untilSays(page, 'Best times', 'h1');
    await page.keyboard.press('?');
    await byRole(page, 'dialog', 'Keyboard shortcuts');
    await page.keyboard.press('/');
    await page.keyboard.press('Escape');
    await isGone(page, '[role="dialog"]');
    await page.keyboard.press('/');
    await untilAt(page, '/');
    await untilHolds(page, searches);
    await held(page, 'Control', 'k');
    await byRole(page, 'dialog', 'Commands');
    await byRole(page, 'combobox', 'Command');
    await page.keyboard.type('new fold');
    await untilSays(page, 'New folder', '[role="option"][aria-selected="true"]');
    // This Enter only ends the composition of an input method.
    await (await byRole(page, 'combobox', 'Command')).evaluate((field) =>
      field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true })),
    );
    await byRole(page, 'dialog', 'Commands');
    await page.keyboard.press('Enter');
    await byRole(page, 'dialog', 'New folder');
    await page.keyboard.press('Escape');
    await isGone(page, '[role="dialog"]');
    await held(page, 'Meta', 'k');
    await byRole(page, 'combobox', 'Command');
    // Arrow keys that are pressed before anything is found don't lead out of the list.
    await page.keyboard.type('shoo');
    await page.keyboard.press('ArrowUp');
    await untilHolds(page, () =>
      document.getElementById(document.activeElement?.getAttribute('aria-activedescendant') ?? ''),
    );
    await page.keyboard.press('Backspace');
    await untilSays(page, 'Shoot', '[role="option"]');
    const options = await page.$$eval('[role="option"]', (all) => all.map((one) => one.firstChild?.textContent));
    for (let nth = 0; nth < options.indexOf('Shoot'); nth += 1) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await untilAt(page, world.fill('/folders/{shoot}'));
  });

  test('filters are in a dialog on a phone, and all controls are large enough for a finger', async () => {
    const page = await openLibrary(browser, world, LIST, { width: 390, height: 844 });
    await page.setViewport({ width: 390, height: 844, hasTouch: true, isMobile: true });
    await byRole(page, 'row', 'first.png');
    expect(await small(page)).toEqual([]);
    await press(page, 'button', 'Filters');
    await byRole(page, 'dialog', 'Filters');
    expect(await small(page)).toEqual([]);
    await (await byRole(page, 'combobox', 'Type')).select('video');
    await press(page, 'button', 'Done');
    await untilSays(page, 'Nothing found');
    await press(page, 'button', 'Clear filters');
    await (await byRole(page, 'checkbox', 'Select first.png')).tap();
    await byRole(page, 'toolbar', 'Selection');
    expect(await small(page)).toEqual([]);
    await press(page, 'button', 'Clear selection');
    await (await byRole(page, 'row', 'second.png')).tap();
    await showDetails(page, 'second.png');
    await byRole(page, 'table', 'Ready to publish');
    expect(await small(page)).toEqual([]);
    // Phones zoom in at fields with smaller text.
    const sizes = await page.$$eval('aside :is(input, textarea)', (all) =>
      all.map((field) => [getComputedStyle(field).fontSize, field.dir || field.tagName]),
    );
    expect(sizes).toContainEqual(['16px', 'auto']);
    expect(sizes.filter(([size]) => size !== '16px')).toEqual([]);
    await press(page, 'button', 'Close');
    await isGone(page, '.viewer');
    await press(page, 'button', 'Menu');
    const folder = await byRole(page, 'treeitem', 'Shoot');
    // A long name takes two lines, because phones show no tooltip.
    const shown = await folder.$eval('.tree-name', (name) => [
      name.getAttribute('title'),
      getComputedStyle(name).whiteSpace,
    ]);
    expect(shown).toEqual(['Shoot', 'normal']);
    await folder.focus();
    expect(await small(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await untilHolds(page, () => document.activeElement?.ariaLabel === 'Menu');
    for (const path of ['/posts', '/trash', '/best-times']) {
      await page.goto(`${world.server.url}${path}`);
      await byRole(page, 'heading');
      expect([path, ...(await small(page))]).toEqual([path]);
    }
    const { json } = await world.call('GET /workspaces/{workspace}/media_contents?folder_id={shoot}');
    expect(arrayAt(json, 'data')).toHaveLength(NAMES.length);
    await page.close();
  });
});
