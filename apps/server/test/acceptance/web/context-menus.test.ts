// These tests use the menus that open on media and folders with a right click, a key or a long press.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'puppeteer-core';
import { installedBrowsers } from '../support/browsers.ts';
import { png } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { World } from '../support/world.ts';
import { byRole, fill, openLibrary, press, untilAt, untilHolds, untilSays } from './support/page.ts';

const browsers = installedBrowsers('context menus').slice(0, 1);

const LIST = '/folders/{shoot}?sort=created_at';

let world: World;

beforeAll(async () => {
  world = await World.open();
  world.ids.shoot = await world.folder('Shoot');
  for (const name of ['first.png', 'second.png', 'third.png'])
    world.ids[name] = (await world.storeOne({ name: 'folder_id', value: world.ids.shoot }, file(name, png()))).id;
  await world.token('reader', '{workspace}', ['--scope', 'media:read', '--scope', 'folders:read']);
});

afterAll(async () => {
  await Promise.all(browsers.map((browser) => browser.close()));
  await world.close();
});

const entries = (page: Page): Promise<(string | null)[]> =>
  page.$$eval('[role="menu"] [role="menuitem"]', (all) => all.map((entry) => entry.textContent));

const isGone = (page: Page, selector: string): Promise<void> =>
  untilHolds(page, (gone: string) => document.querySelector(gone) === null, selector);

/** Opens the menu of an element with a right click. */
async function menuOf(page: Page, role: 'row' | 'treeitem', name: string, of: string = name): Promise<void> {
  await (await byRole(page, role, name)).click({ button: 'right' });
  await byRole(page, 'menu', of);
}

const ALL = ['Open', 'Rename', 'Move', 'Tag', 'Download', 'Copy link', 'Use in post', 'Delete'];
const OF_MANY = ALL.map((name) => ({ Download: 'Download ZIP', 'Copy link': 'Copy links' })[name] ?? name);

describe.each(browsers.map((browser) => [browser.name, browser] as const))('in %s', (_, browser) => {
  test('the context menu of a row also opens with Shift+F10, and applies to the selection if the row is selected', async () => {
    const page = await openLibrary(browser, world, LIST);
    await menuOf(page, 'row', 'first.png');
    expect(await entries(page)).toEqual(ALL);
    await untilSays(page, '1 selected', '[role="toolbar"]');
    await page.keyboard.press('Escape');
    await isGone(page, '[role="menu"]');
    await untilHolds(page, () => document.activeElement?.role === 'row');
    await (await byRole(page, 'checkbox', 'Select second.png')).click();
    await menuOf(page, 'row', 'second.png');
    expect(await entries(page)).toEqual(OF_MANY);
    await press(page, 'menuitem', 'Delete');
    await byRole(page, 'alertdialog', 'Delete 2 items?');
    await press(page, 'button', 'Cancel');
    await isGone(page, '[role="alertdialog"]');
    // The menu of a row outside the selection applies only to that row.
    await menuOf(page, 'row', 'third.png');
    expect(await entries(page)).toEqual(ALL);
    await press(page, 'menuitem', 'Rename');
    await byRole(page, 'dialog', 'Rename third.png');
    await page.keyboard.press('Escape');
    await isGone(page, '[role="dialog"]');
    // The menu is opened by keyboard, and its first entry opens the item.
    await (await byRole(page, 'row', 'second.png')).focus();
    await page.keyboard.down('Shift');
    await page.keyboard.press('F10');
    await page.keyboard.up('Shift');
    await byRole(page, 'menu', 'second.png');
    await page.keyboard.press('Enter');
    await byRole(page, 'dialog', 'second.png');
  });

  /** The page that both tests of folders use. */
  let page: Page;

  test('a folder has a context menu', async () => {
    page = await openLibrary(browser, world, '/');
    await menuOf(page, 'treeitem', 'Shoot');
    expect(await entries(page)).toEqual(['Open', 'New folder', 'Rename', 'Move', 'Delete']);
    await press(page, 'menuitem', 'New folder');
    await byRole(page, 'dialog', 'New folder');
    await fill(page, 'Name', 'Raw');
    await press(page, 'button', 'Create');
    await byRole(page, 'treeitem', 'Raw');
    await menuOf(page, 'treeitem', 'Shoot');
    await press(page, 'menuitem', 'Open');
    await untilAt(page, `/folders/${world.ids.shoot}`);
  });

  test('a folder card has a context menu that restores the focus on closing, and F2 renames the folder', async () => {
    await press(page, 'link', 'Library');
    await menuOf(page, 'row', 'Shoot, 3 items', 'Shoot');
    expect(await entries(page)).toEqual(['Open', 'New folder', 'Rename', 'Move', 'Delete']);
    await press(page, 'menuitem', 'Move');
    await byRole(page, 'dialog', 'Move Shoot');
    await page.keyboard.press('Escape');
    await isGone(page, '[role="dialog"]');
    await (await page.waitForSelector('.folder-card a'))?.focus();
    await page.keyboard.down('Shift');
    await page.keyboard.press('F10');
    await page.keyboard.up('Shift');
    await byRole(page, 'menu', 'Shoot');
    await page.keyboard.press('Escape');
    await isGone(page, '[role="menu"]');
    await untilHolds(page, () => document.activeElement?.matches('.folder-card, .folder-card *'));
    await page.keyboard.press('F2');
    await byRole(page, 'dialog', 'Rename Shoot');
  });

  test('on a phone, a long press on a row or folder card opens its context menu, not the item or folder', async () => {
    const page = await openLibrary(browser, world, '/', { width: 390, height: 844 });
    await page.setViewport({ width: 390, height: 844, hasTouch: true, isMobile: true });
    await untilHolds(page, () => navigator.maxTouchPoints > 0 && document.querySelector('.folder-card') !== null);
    const box = await (await byRole(page, 'row', 'Shoot, 3 items')).boundingBox();
    await page.touchscreen.touchStart((box?.x ?? 0) + 40, (box?.y ?? 0) + 20);
    await byRole(page, 'menu', 'Shoot');
    await page.touchscreen.touchEnd();
    await byRole(page, 'menu', 'Shoot');
    expect(new URL(page.url()).pathname).toBe('/');
    await page.keyboard.press('Escape');
    await isGone(page, '[role="menu"]');
    const row = await (await byRole(page, 'row', 'first.png')).boundingBox();
    await page.touchscreen.touchStart((row?.x ?? 0) + 40, (row?.y ?? 0) + 40);
    await byRole(page, 'menu', 'first.png');
    await page.touchscreen.touchEnd();
    await press(page, 'menuitem', 'Move');
    await byRole(page, 'dialog', 'Move 1 item');
    await page.close();
  });

  test('context menus offer only read actions if the token allows only reading', async () => {
    const page = await openLibrary(browser, world, LIST, { token: 'reader' });
    await menuOf(page, 'row', 'first.png');
    expect(await entries(page)).toEqual(['Open', 'Download', 'Copy link']);
    await page.keyboard.press('Escape');
    await isGone(page, '[role="menu"]');
    await menuOf(page, 'treeitem', 'Shoot');
    expect(await entries(page)).toEqual(['Open']);
  });
});
