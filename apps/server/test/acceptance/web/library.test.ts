import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { HTTPRequest, KeyInput, Page } from 'puppeteer-core';
import { installedBrowsers } from '../support/browsers.ts';
import { onSqlite } from '../support/database.ts';
import { jpeg, mp4, png } from '../support/fixtures.ts';
import { sized } from '../support/long.ts';
import { file } from '../support/multipart.ts';
import { arrayAt, at, stringAt } from '../support/reply.ts';
import { startStopwatch, until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { byRole, fill, openLibrary, press, selectRow, untilAt, untilHolds, untilSays } from './support/page.ts';

const browsers = installedBrowsers('the library in a browser').slice(0, sized(1, 2));

/** Folders that are nested as deeply as the service allows. */
const LEVELS = Array.from({ length: 16 }, (_, at) => `Level ${at + 1}`);

let world: World;

beforeAll(async () => {
  world = await World.open(onSqlite);
  world.ids.campaigns = await world.folder('Campaigns');
  world.ids.summer = await world.folder('Summer', world.ids.campaigns);
  world.ids.brand = await world.folder('Brand');
  for (const level of LEVELS) world.ids.deepest = await world.folder(level, world.ids.deepest);
  await world.store(file('dawn.jpg', jpeg()), file('dusk.png', png()), file('film.mp4', mp4(4)));
  const json = { files: [{ name: 'awaited.png', size: 100, mime: 'image/png' }] };
  await world.call('POST /workspaces/{workspace}/media_contents/presign', { json });
});

afterAll(async () => {
  await Promise.all(browsers.map((browser) => browser.close()));
  await world.close();
});

/** The names of the grid's rows of media, in order. */
const rowsOf = (page: Page): Promise<string[]> =>
  page.$$eval('[role="grid"] [role="row"][aria-rowindex][aria-label]', (rows) =>
    rows
      .toSorted((one, other) => Number(one.ariaRowIndex) - Number(other.ariaRowIndex))
      .map((row) => row.getAttribute('aria-label') ?? ''),
  );

const untilRows = (page: Page, names: readonly string[]): Promise<void> =>
  until(`the rows are ${names.join(', ')}`, async () => (await rowsOf(page)).join() === names.join());

const focused = (page: Page): Promise<string | null> =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? null);

async function keys(page: Page, ...pressed: readonly KeyInput[]): Promise<void> {
  for (const key of pressed) await page.keyboard.press(key);
}

/** Completes a drag by keyboard: moves to the folder with the arrow key, and drops the dragged row on it. */
async function dropOn(page: Page, folder: string, arrow: KeyInput): Promise<void> {
  let target: string | null = null;
  for (let presses = 0; target !== folder && presses < 5; presses += 1) {
    if (target !== null) await keys(page, arrow);
    await untilHolds(
      page,
      (former: string | null) => {
        const now = document.querySelector('[role="treeitem"][data-drop-target]')?.ariaLabel;
        return now !== undefined && now !== former;
      },
      target,
    );
    target = await page.$eval('[role="treeitem"][data-drop-target]', (row) => row.ariaLabel);
  }
  await keys(page, 'Enter');
}

const inFolder = async (folder: string): Promise<string[]> => {
  const { json } = await world.call(`GET /workspaces/{workspace}/media_contents?folder_id=${folder}&sort=name`);
  return arrayAt(json, 'data').map((item) => stringAt(item, 'name'));
};

/** The names of the rows of all media. */
const inLibrary = async (sort: string): Promise<string[]> => {
  const { json } = await world.call(`GET /workspaces/{workspace}/media_contents?per_page=100&sort=${sort}`);
  return arrayAt(json, 'data').map((item) => {
    const [name, status] = [stringAt(item, 'name'), stringAt(item, 'status')];
    return status === 'active' ? name : `${name}, ${status}`;
  });
};

const parentOf = async (folder: string) =>
  at((await world.call(`GET /media_library/folders/${folder}`)).json, 'data', 'parent_id');

const ALL = ['awaited.png, temporary', 'film.mp4', 'dusk.png', 'dawn.jpg'];

/** Chromium comes last, because its tests change the library. */
const chromiumLast = browsers.toReversed();

describe.each(chromiumLast.map((browser) => [browser.name, browser] as const))('the library in %s', (name, browser) => {
  let page: Page;
  const runsAll = name === 'Chromium';

  test('shows its items, search results, and items added by others', async () => {
    page = await openLibrary(browser, world, '/');
    await byRole(page, 'grid', 'Media');
    await untilRows(page, ALL);
    await untilSays(page, '0:04', '[role="grid"]');
    await (await byRole(page, 'combobox', 'Type')).select('image');
    await untilRows(
      page,
      ALL.filter((row) => row !== 'film.mp4' && !row.startsWith('awaited')),
    );
    await (await byRole(page, 'searchbox', 'Search media')).type('dus');
    await untilRows(page, ['dusk.png']);
    expect(new URL(page.url()).search).toBe('?type=image&search=dus');
    await page.reload();
    await untilRows(page, ['dusk.png']);
    await (await byRole(page, 'searchbox', 'Search media')).type('nothing');
    await press(page, 'button', 'Clear filters');
    await untilRows(page, ALL);
    if (runsAll) {
      const { id } = await world.storeOne(file('late.png', png()));
      using stopwatch = startStopwatch();
      await untilRows(page, ['late.png', ...ALL]);
      expect(stopwatch.elapsed()).toBeLessThan(15_000);
      await world.call(`DELETE /media_contents/${id}`);
      await untilRows(page, ALL);
    }
    await (await byRole(page, 'row', 'dusk.png')).click({ count: 2 });
    await untilAt(page, '/media/');
    await page.goBack();
    await untilHolds(page, () => location.pathname === '/');
    if (!runsAll) await page.close();
  });

  // Other browsers run only the test above.
  if (!runsAll) return;

  test('creates, renames, moves and deletes folders, with menus opened by keyboard', async () => {
    await byRole(page, 'tree', 'Folders');
    await press(page, 'button', 'New folder');
    await byRole(page, 'dialog', 'New folder');
    await fill(page, 'Name', 'Brand');
    await keys(page, 'Enter');
    await untilSays(page, 'already', '[role="dialog"]');
    await fill(page, 'Name', 'Autumn');
    await press(page, 'button', 'Create');
    const autumn = await byRole(page, 'treeitem', 'Autumn');
    await autumn.focus();
    await keys(page, 'Tab');
    expect(await focused(page)).toBe('Actions for Autumn');
    await keys(page, 'Enter');
    await press(page, 'menuitem', 'Move');
    await byRole(page, 'dialog', 'Move Autumn');
    await (await page.waitForSelector('[role="dialog"] [role="treeitem"][aria-label="Campaigns"]'))?.click();
    await page.$$eval('[role="dialog"] button', (buttons) => buttons.at(-1)?.click());
    await untilSays(page, 'Autumn was moved', '.notices');
    await (await byRole(page, 'treeitem', 'Campaigns')).focus();
    await keys(page, 'ArrowRight');
    await (await byRole(page, 'treeitem', 'Autumn')).focus();
    expect(await (await byRole(page, 'treeitem', 'Autumn')).evaluate((row) => row.ariaLevel)).toBe('2');
    await keys(page, 'Enter');
    await untilSays(page, 'Nothing here yet', 'main');
    await keys(page, 'Tab', 'Enter');
    await press(page, 'menuitem', 'Rename');
    await fill(page, 'Name', 'Winter');
    await press(page, 'button', 'Rename');
    await untilSays(page, 'Winter', 'h1');
    await (await byRole(page, 'button', 'Actions for Winter')).press('Enter');
    await press(page, 'menuitem', 'Delete');
    await byRole(page, 'alertdialog', 'Delete Winter?');
    await press(page, 'button', 'Delete');
    await untilAt(page, `/folders/${world.ids.campaigns}`);
    await (await byRole(page, 'treeitem', 'All media')).click();
    await untilRows(page, ALL);
  });

  test('tags several selected items, undoes the tagging, and asks before it deletes items', async () => {
    await selectRow(page, 'film.mp4');
    await page.keyboard.down('Shift');
    await selectRow(page, 'dawn.jpg');
    await page.keyboard.up('Shift');
    await byRole(page, 'toolbar', 'Selection');
    await untilSays(page, '3 selected', '[role="toolbar"]');
    await press(page, 'button', 'Tag');
    await fill(page, 'Tags', 'sea, summer');
    await press(page, 'button', 'Add');
    await untilSays(page, '3 items were tagged', '.notices');
    const tagged = async () =>
      at((await world.call('GET /workspaces/{workspace}/media_contents?tag=sea')).json, 'meta', 'total');
    expect(await tagged()).toBe(3);
    // This clicks the button of the latest notice.
    await page.$$eval('.notices button', (all) => all.findLast((one) => one.textContent === 'Undo')?.click());
    await until('the tags are removed', async () => (await tagged()) === 0);
    await keys(page, 'Escape');
    await (await byRole(page, 'checkbox', 'Select film.mp4')).click();
    await press(page, 'button', 'Delete');
    await byRole(page, 'alertdialog', 'Delete 1 item?');
    await keys(page, 'Escape');
    await untilHolds(page, () => document.querySelector('[role="alertdialog"]') === null);
    await keys(page, 'Escape');
  });

  test('deletes by keyboard, keeps refused items selected, and shows the reason', async () => {
    const used: string[] = [];
    for (const name of ['used one.png', 'used two.png']) used.push((await world.storeOne(file(name, png()))).id);
    await world.storeOne(file('unused.png', png()));
    const profile = await world.call('POST /workspaces/{workspace}/profiles', { json: { name: 'Us', network: 'x' } });
    const post = { published_at: '2026-01-31T18:30:00Z', profile: stringAt(profile.json, 'data', 'id') };
    const { json } = await world.call('POST /workspaces/{workspace}/posts', {
      json: { ...post, media_content_ids: used },
    });
    await untilRows(page, ['unused.png', 'used two.png', 'used one.png', ...ALL]);
    await selectRow(page, 'unused.png');
    await page.keyboard.down('Shift');
    await keys(page, 'ArrowRight', 'ArrowRight');
    await page.keyboard.up('Shift');
    await untilSays(page, '3 selected', '[role="toolbar"]');
    await keys(page, 'Delete');
    await byRole(page, 'alertdialog', 'Delete 3 items?');
    await keys(page, 'Tab', 'Tab', 'Enter');
    await untilSays(page, '1 item was deleted. 2 items weren’t deleted.', '.notices');
    await untilSays(page, 'and 1 other: ', '.notices');
    await untilRows(page, ['used two.png', 'used one.png', ...ALL]);
    await untilSays(page, '2 selected', '[role="toolbar"]');
    expect(await page.$$eval('[role="row"][aria-selected="true"]', (all) => all.map((row) => row.ariaLabel))).toEqual([
      'used two.png',
      'used one.png',
    ]);
    await world.call(`DELETE /posts/${stringAt(json, 'data', 'id')}`);
    for (const id of used) await world.call(`DELETE /media_contents/${id}`);
    await untilRows(page, ALL);
  });

  test('undoes a deletion, and restores from, deletes from and empties the trash', async () => {
    const ids: string[] = [];
    for (const name of ['gone.png', 'kept.png']) ids.push((await world.storeOne(file(name, png()))).id);
    await untilRows(page, ['kept.png', 'gone.png', ...ALL]);
    await selectRow(page, 'gone.png');
    await keys(page, 'Delete');
    await byRole(page, 'alertdialog', 'Delete 1 item?');
    await keys(page, 'Tab', 'Tab', 'Enter');
    await untilSays(page, '1 item was deleted.', '.notices[role="status"]');
    await untilRows(page, ['kept.png', ...ALL]);
    await page.$$eval('.notices button', (all) => all.findLast((one) => one.textContent === 'Undo')?.click());
    await untilSays(page, '1 item was restored.', '.notices');
    await untilRows(page, ['kept.png', 'gone.png', ...ALL]);
    await world.call('DELETE /workspaces/{workspace}/trash');
    for (const id of ids) await world.call(`DELETE /media_contents/${id}`);
    await world.call(`DELETE /media_contents/${(await world.storeOne(file('old.png', png()))).id}`);
    await (await byRole(page, 'link', 'Trash')).press('Enter');
    await byRole(page, 'grid', 'Trash');
    await untilRows(page, ['old.png', 'kept.png', 'gone.png']);
    // Images in the trash are shown, although their links and previews don't work.
    await untilHolds(page, () => {
      const pictures = Array.from(document.querySelectorAll<HTMLImageElement>('[role="grid"] img'));
      return pictures.length === 3 && pictures.every((picture) => picture.naturalWidth > 0);
    });
    await (await byRole(page, 'row', 'old.png')).focus();
    await keys(page, 'ArrowRight', 'Space');
    await byRole(page, 'toolbar', 'Selection');
    await (await byRole(page, 'button', 'Restore')).press('Enter');
    await untilSays(page, '1 item was restored.', '.notices');
    await untilRows(page, ['old.png', 'gone.png']);
    await (await byRole(page, 'checkbox', 'Select gone.png')).click();
    await (await byRole(page, 'button', 'Delete forever')).press('Enter');
    await byRole(page, 'alertdialog', 'Delete 1 item forever?');
    await keys(page, 'Tab', 'Tab', 'Enter');
    await untilRows(page, ['old.png']);
    await (await byRole(page, 'button', 'Empty trash')).press('Enter');
    await byRole(page, 'alertdialog', 'Empty the trash?');
    await keys(page, 'Tab', 'Tab', 'Enter');
    await untilSays(page, 'The trash is empty', 'main');
    await (await byRole(page, 'link', 'Library')).press('Enter');
    await untilRows(page, ['kept.png', ...ALL]);
    await world.call(`DELETE /media_contents/${ids[1]}`);
    await untilRows(page, ALL);
  });

  test('disables the button of a dialog that can’t succeed, and shows why', async () => {
    /** The description of the disabled button that confirms the dialog. */
    const reason = (): Promise<string | undefined> =>
      page.$$eval('[role$="dialog"] button', (buttons) => {
        const button = buttons.at(-1);
        if (!button?.disabled) return undefined;
        return document.getElementById(button.getAttribute('aria-describedby') ?? '')?.textContent;
      });
    const close = async (): Promise<void> => {
      await keys(page, 'Escape');
      await untilHolds(page, () => document.querySelector('[role="dialog"]') === null);
    };
    const choose = async (task: string): Promise<void> => {
      await (await byRole(page, 'treeitem', 'Campaigns')).focus();
      await keys(page, 'Tab', 'Enter');
      await press(page, 'menuitem', task);
    };
    await choose('Delete');
    await byRole(page, 'alertdialog', 'Delete Campaigns?');
    expect(await reason()).toMatch(/^1 folder is in it\. Only empty folders can be deleted/);
    await keys(page, 'Escape');
    await choose('Move');
    await byRole(page, 'dialog', 'Move Campaigns');
    const into = async (folder: string): Promise<void> => {
      await (await page.waitForSelector(`[role="dialog"] [role="treeitem"][aria-label="${folder}"]`))?.click();
    };
    await into('Top of the library');
    await until('it says so', async () => (await reason()) === 'It’s already there.');
    await into('Campaigns');
    await until('it says so', async () => (await reason()) === 'A folder can’t be moved into itself.');
    // Campaigns contains a folder, and there are at most 16 levels. So Campaigns can be moved into a folder of the 14th
    // level, but not into one of the 15th.
    for (const level of LEVELS.slice(0, 15)) {
      await into(level);
      await keys(page, 'ArrowRight');
    }
    await until('it says so', async () => (await reason()) === 'Folders can be nested at most 16 levels deep.');
    await into('Level 14');
    await until('it says so no more', async () => (await reason()) === undefined);
    await close();

    await page.goto(`${world.server.url}/folders/${world.ids.deepest}`);
    const deepest = await byRole(page, 'treeitem', 'Level 16');
    expect(await deepest.$eval('.tree-name', (name) => name.getBoundingClientRect().width)).toBeGreaterThan(40);
    await press(page, 'button', 'New folder');
    await until('it says so', async () => (await reason()) === 'Folders can be nested at most 16 levels deep.');
    await close();
    await (await byRole(page, 'treeitem', 'All media')).click();
    await untilRows(page, ALL);
    await press(page, 'button', 'New folder');
    await until('it says so', async () => (await reason()) === 'Enter a name.');
    await fill(page, 'Name', 'A');
    expect(await reason()).toBeUndefined();
    await fill(page, 'Name', '  ');
    expect(await reason()).toBe('Enter a name.');
    await close();
    await press(page, 'button', 'Import from URL');
    await until('it says so', async () => (await reason()) === 'Enter a URL.');
    await fill(page, 'URL', 'http://127.0.0.1/');
    expect(await reason()).toBeUndefined();
    await close();
    await selectRow(page, 'film.mp4');
    await press(page, 'button', 'Tag');
    await until('it says so', async () => (await reason()) === 'Enter a tag.');
    await close();
    await keys(page, 'Escape');
  });

  test('moves media and folders by dragging them onto a folder, by mouse and by keyboard', async () => {
    const tile = await (await byRole(page, 'row', 'dusk.png')).boundingBox();
    const brand = await (await byRole(page, 'treeitem', 'Brand')).boundingBox();
    if (!tile || !brand) throw new Error('Nothing to drag.');
    await page.mouse.move(tile.x + 60, tile.y + 60);
    await page.mouse.down();
    await page.mouse.move(tile.x + 50, tile.y + 70, { steps: 4 });
    for (const step of [0, 1, 2, 3]) await page.mouse.move(brand.x + 40 + step, brand.y + 12 + step);
    await page.waitForSelector('[role="treeitem"][aria-label="Brand"][data-drop-target]');
    await page.mouse.up();
    await untilSays(page, 'moved to Brand', '.notices');
    expect(await inFolder('{brand}')).toEqual(['dusk.png']);

    await (await byRole(page, 'row', 'dawn.jpg')).focus();
    await keys(page, 'Tab', 'Tab');
    expect(await focused(page)).toBe('Drag dawn.jpg');
    await keys(page, 'Enter');
    await dropOn(page, 'Campaigns', 'ArrowDown');
    await untilSays(page, 'moved to Campaigns', '.notices');
    expect(await inFolder('{campaigns}')).toEqual(['dawn.jpg']);

    // Folders are dragged in the same way, but can't be dropped on the folder that already contains them. This also
    // applies right after a move, while the tree is still outdated because its folders haven't been read again.
    const slowly = (request: HTTPRequest): void => {
      setTimeout(() => void request.continue(), request.url().includes('folders.list') ? 1_000 : 0);
    };
    await page.setRequestInterception(true);
    page.on('request', slowly);
    const row = await (await byRole(page, 'treeitem', 'Brand')).boundingBox();
    const top = await (await byRole(page, 'treeitem', 'All media')).boundingBox();
    const other = await (await byRole(page, 'treeitem', 'Campaigns')).boundingBox();
    if (!row || !top || !other) throw new Error('Nothing to drag.');
    await page.mouse.move(row.x + 50, row.y + 12);
    await page.mouse.down();
    await page.mouse.move(row.x + 54, row.y + 8, { steps: 4 });
    for (const step of [0, 1, 2]) await page.mouse.move(top.x + 50 + step, top.y + 12 + step);
    for (const step of [0, 1, 2]) await page.mouse.move(other.x + 50 + step, other.y + 12 + step);
    await page.waitForSelector('[role="treeitem"][aria-label="Campaigns"][data-drop-target]');
    await page.mouse.up();
    await untilSays(page, 'Brand was moved', '.notices');
    await until('Brand is in Campaigns', async () => (await parentOf('{brand}')) === world.ids.campaigns);
    await (await byRole(page, 'treeitem', 'Campaigns')).focus();
    await keys(page, 'ArrowRight');
    await (await byRole(page, 'treeitem', 'Brand')).focus();
    await page.keyboard.down('Alt');
    await keys(page, 'Enter');
    await page.keyboard.up('Alt');
    await dropOn(page, 'All media', 'ArrowUp');
    await until('Brand is at the top level', async () => (await parentOf('{brand}')) === null);
    page.off('request', slowly);
    await page.setRequestInterception(false);
  });

  test('shows folders first, then media in a grid grouped by date or in a sortable list', async () => {
    const { id } = await world.storeOne(file('shore.png', png()));
    await world.call(`PATCH /media_contents/${id}`, { json: { folder_id: '{summer}' } });
    const page = await openLibrary(browser, world, '/');
    await untilRows(page, await inLibrary('-created_at'));
    expect(await page.$$eval('[role="grid"] h2', (all) => all.map((one) => one.textContent))).toEqual(['Today']);
    const shapes = await page.$$eval(
      '[role="row"]:is([aria-label="dawn.jpg"], [aria-label="dusk.png"]) .tile-frame',
      (all) => all.map((one) => one.getBoundingClientRect()).map(({ width, height }) => (width / height).toFixed(1)),
    );
    expect(shapes).toEqual(['1.3', '1.3']);
    const sizeOf = async () => (await (await byRole(page, 'row', 'dusk.png')).boundingBox())?.width ?? 0;
    const before = await sizeOf();
    await (await byRole(page, 'slider', 'Size')).focus();
    await keys(page, 'End');
    await untilHolds(
      page,
      (width: number) => (document.querySelector('[aria-label="dusk.png"]')?.clientWidth ?? 0) > width * 1.3,
      before,
    );
    await keys(page, 'Home');

    // The folders come first, each with the number of media in it and its subfolders. Tab leads to the folders, then to
    // the media, without selecting any, and Shift+Tab leads back. The arrow keys move between folders and media.
    const rowWithFocus = () => page.evaluate(() => document.activeElement?.closest('[role="row"]')?.ariaLabel ?? '');
    await (await byRole(page, 'button', 'Upload')).focus();
    await keys(page, 'Tab');
    expect(await rowWithFocus()).toMatch(/^Brand, \d+ items?$/);
    await keys(page, 'Tab');
    expect(await rowWithFocus()).toBe('shore.png');
    expect(await page.$('[role="row"][aria-selected="true"]')).toBeNull();
    await page.keyboard.down('Shift');
    await keys(page, 'Tab');
    expect(await rowWithFocus()).toMatch(/^Brand, \d+ items?$/);
    await keys(page, 'Tab');
    expect(await rowWithFocus()).toBe('');
    await page.keyboard.up('Shift');
    await (await byRole(page, 'row', 'dusk.png')).focus();
    await keys(page, 'Home');
    await until('the first item has the focus', async () => (await rowWithFocus()) === 'shore.png');
    await keys(page, 'ArrowUp');
    await until('a folder has the focus', async () => /^Brand, \d+ items?$/.test(await rowWithFocus()));
    await keys(page, 'ArrowRight');
    const [campaigns] = await page.$$eval('[role="row"]:has(:focus)', (all) => all.map((one) => one.ariaLabel));
    expect(campaigns).toMatch(/^Campaigns, [1-9]\d* items?$/);
    await keys(page, 'Enter');
    await untilAt(page, `/folders/${world.ids.campaigns}`);
    await byRole(page, 'row', 'Summer, 1 item');
    await page.goBack();

    await (await byRole(page, 'radio', 'List')).click();
    for (const [column, sort, order] of [
      ['Name', 'name', 'ascending'],
      ['Name', '-name', 'descending'],
      ['Size', '-size', 'descending'],
    ] as const) {
      await press(page, 'button', column);
      await untilHolds(page, (wanted: string) => new URL(location.href).searchParams.get('sort') === wanted, sort);
      await untilRows(page, await inLibrary(sort));
      expect(await (await byRole(page, 'columnheader', column)).evaluate((one) => one.ariaSort)).toBe(order);
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(column);
    }
    // The names of the columns are a tab stop above the lines.
    await keys(page, 'Tab');
    expect(await rowWithFocus()).toBe((await inLibrary('-size'))[0] ?? '');
    expect(await page.$('[role="row"][aria-selected="true"]')).toBeNull();
    await page.keyboard.down('Shift');
    await keys(page, 'Tab');
    await page.keyboard.up('Shift');
    await keys(page, 'ArrowRight');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Added');
    // The view is kept when the page is reloaded. The arrow keys for up and down lead from line to line.
    await page.reload();
    await (await byRole(page, 'row', (await inLibrary('-size'))[1])).focus();
    await keys(page, 'ArrowUp');
    expect(await focused(page)).toBe((await inLibrary('-size'))[0] ?? '');
    await keys(page, 'Escape');
    const last = await page.$$eval('[role="grid"] [aria-rowindex]', (all) => all.at(-1)?.ariaRowIndex);
    expect(await page.$eval('[role="grid"]', (grid) => grid.ariaRowCount)).toBe(last ?? '');
    await (await byRole(page, 'radio', 'Grid')).click();
  });

  test('renders only the visible ones of thousands of items, and keeps the scroll position', async () => {
    const many = sized(2_000, 10_000);
    const steps = sized(12, 40);
    const line = sized(150, 1_000);
    await world.database.change(`
      insert into media (id, workspace_id, name, full_name, search_key, created_at, updated_at, status, type, size, width, height, details, folder_id)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${many})
      select substr(id, 1, 24) || substr('00000000000' || i, length('00000000000' || i) - 11), workspace_id,
        'item-' || i || '.png', full_name || i, 'item-' || i, created_at - i, updated_at - i, status, type, size, width, height, details, folder_id
      from media, n where name = 'dusk.png'`);
    // Puppeteer counts requests that were cancelled while they were intercepted as open forever, so a page on which an
    // earlier test has intercepted requests might never be idle.
    await page.close();
    page = await openLibrary(browser, world, '/');
    await untilHolds(page, (min) => Number(document.querySelector('[role="grid"]')?.ariaRowCount) > min, many);
    const max = await page.$eval(
      '[role="grid"]',
      async (grid, count, nth) => {
        let tiles = 0;
        for (let step = 0; step < count; step += 1) {
          grid.scrollTop = (grid.scrollHeight / count) * step;
          await new Promise(requestAnimationFrame);
          tiles = Math.max(tiles, grid.querySelectorAll('[role="row"]').length);
        }
        // The tile that will be opened is partly above the upper edge of the grid.
        const row = grid.querySelector('[role="row"]')?.getBoundingClientRect().height ?? 0;
        grid.scrollTop = (row + 16) * nth + 60;
        return tiles;
      },
      steps,
      line,
    );
    expect(max).toBeGreaterThan(10);
    expect(max).toBeLessThanOrEqual(400);
    // While pages of items near the upper edge are being loaded, the rows above the edge change, so a different item
    // may move to the edge.
    await untilHolds(page, () => document.querySelector('[role="grid"] [aria-busy="true"]') === null);
    await page.waitForNetworkIdle();
    const top = () =>
      page.$eval('[role="grid"]', (grid) => {
        const edge = grid.getBoundingClientRect().top;
        const rows = Array.from(grid.querySelectorAll<HTMLElement>('[role="row"].tile'));
        const first = rows
          .map((row) => ({ row, box: row.getBoundingClientRect() }))
          .filter(({ box }) => box.bottom > edge + 1)
          .sort((a, b) => a.box.top - b.box.top || a.box.left - b.box.left)[0];
        return first ? `${first.row.dataset.key} ${Math.round(first.box.top - edge)} pixels below the edge` : 'nothing';
      });
    const before = await top();
    const box = await (await byRole(page, 'grid', 'Media')).boundingBox();
    if (!box) throw new Error('There is no grid.');
    // The items are in a folder, but were opened from "All media".
    const waysBack = {
      Back: () => page.goBack(),
      Escape: () => page.keyboard.press('Escape'),
      '×': () => page.click('[role="dialog"] button[aria-label="Close"]'),
    };
    for (const [way, leave] of Object.entries(waysBack)) {
      await page.mouse.click(box.x + 80, box.y + 60, { count: 2 });
      await untilAt(page, '/media/');
      await byRole(page, 'dialog');
      await page.keyboard.press('i');
      await untilSays(page, 'Brand', 'aside dl');
      await leave();
      await untilHolds(page, () => !location.pathname.startsWith('/media/'));
      const tops = new Set<string>();
      const isBack = async () => {
        const now = await top();
        tops.add(now);
        return now === before;
      };
      await until('the grid is at its previous position', isBack).catch(async (cause) => {
        const where = `${[...tops].join(', ')}, at ${page.url()}`;
        throw new Error(`By ${way}: the grid had ${before}, and then ${where}.`, { cause });
      });
      expect([way, new URL(page.url()).pathname]).toEqual([way, '/']);
      expect(await page.$eval('h1', (title) => title.textContent)).toBe('All media');
    }
    // After a visit to a different page, the same item is at the edge, even though the window is narrower now.
    const isAtEdge = (key: string): boolean => {
      const edge = document.querySelector('[role="grid"]')?.getBoundingClientRect().top ?? 0;
      const box = document.querySelector(`.tile[data-key="${key}"]`)?.getBoundingClientRect();
      return box !== undefined && box.top <= edge + 1 && box.bottom >= edge - 1;
    };
    await press(page, 'link', 'Best times');
    await untilAt(page, '/best-times');
    await page.setViewport({ width: 1000, height: 900 });
    await page.goBack();
    await untilHolds(page, isAtEdge, before.split(' ')[0] ?? '');
  });
});
