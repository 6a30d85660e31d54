// These tests run axe on each state of every page, in both colour schemes.
import { expect } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testsThatNeed } from '@postshelf/testing/programs';
import type { KeyInput, Page } from 'puppeteer-core';
import { status } from '../imports/support/answers.ts';
import { importUrl, loopback, settled } from '../imports/support/imports.ts';
import { Origin } from '../imports/support/origin.ts';
import { installedBrowsers } from '../support/browsers.ts';
import { mp4, png } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { stringAt } from '../support/reply.ts';
import { removeFolder, scratchFolder } from '../support/server.ts';
import { World } from '../support/world.ts';
import { seriousFindings } from './support/axe.ts';
import { byRole, openLibrary, press, showDetails, untilHolds, untilSays } from './support/page.ts';

const { afterAll, beforeAll, describe, test } = testsThatNeed(
  ['ffmpeg'],
  'axe on the pages, one of which shows a video',
);

const [browser] = installedBrowsers('the pages with axe');

const files = scratchFolder();

let world: World;
let origin: Origin;

beforeAll(async () => {
  [world, origin] = await Promise.all([World.open(loopback), Origin.open()]);
  const failing = await importUrl(world, origin.page('none.mp4', status(404)).url);
  world.ids.failed = stringAt(failing.json, 'data', 0, 'id');
  world.ids.folder = await world.folder('Summer', await world.folder('Campaigns'));
  world.ids.video = (await world.storeVideo(file('film.mp4', mp4()))).id;
  world.ids.drawing = (await world.storeOne(file('drawing.png', png()))).id;
  await world.call('PATCH /media_contents/{drawing}', { json: { tags: ['sea'], alt_text: 'Waves' } });
  const profile = await world.call('POST /workspaces/{workspace}/profiles', { json: { name: 'Us', network: 'x' } });
  const metrics = { impressions: 100, likes: 7 };
  for (const day of ['2026-01-27', '2026-01-28', '2026-01-29', '2026-01-30', '2026-01-31']) {
    const post = { published_at: `${day}T18:30:00Z`, text: 'Sun is out!', media_content_ids: ['{drawing}'], metrics };
    const json = { ...post, profile: stringAt(profile.json, 'data', 'id') };
    const made = await world.call('POST /workspaces/{workspace}/posts', { json });
    expect(made.status).toBe(201);
  }
  await settled(world, { id: world.ids.failed });
  const { id: old } = await world.storeOne(file('old.png', png()));
  await world.call(`DELETE /media_contents/${old}`);
});

afterAll(async () => {
  await browser?.close();
  await origin.close();
  removeFolder(files);
  await world.close();
});

type Ready = (page: Page) => Promise<unknown>;

const row = (name: string) => (page: Page) => byRole(page, 'row', name);
const dialog =
  (button: string, role = 'dialog') =>
  async (page: Page) => {
    await press(page, 'button', button);
    await byRole(page, role);
  };

const details = (name: string) => async (page: Page) => {
  await showDetails(page, name);
  await byRole(page, 'rowheader', 'Instagram feed');
};

const selected = async (page: Page) => {
  await row('drawing.png')(page);
  await page.click('[role="row"] input[type="checkbox"]');
  await byRole(page, 'toolbar', 'Selection');
};

const shortcut = (key: KeyInput, held?: KeyInput) => async (page: Page) => {
  if (held) await page.keyboard.down(held);
  await page.keyboard.press(key);
  if (held) await page.keyboard.up(held);
  await byRole(page, 'dialog');
};

const rename = async (page: Page) => {
  await (await row('drawing.png')(page)).focus();
  await page.keyboard.press('F2');
  await byRole(page, 'dialog', 'Rename drawing.png');
};

// The details are still open from the previous state.
const deletion = async (page: Page) => {
  await press(page, 'button', 'Delete');
  await byRole(page, 'alertdialog', 'Delete drawing.png?');
};

const part = async (page: Page) => {
  await press(page, 'button', 'Fit for Instagram feed');
  await byRole(page, 'dialog', 'Fit for Instagram feed');
  await press(page, 'radio', 'Square 1:1');
  await page.waitForSelector('[aria-label^="Visible part of the image"]');
};

const folders = async (page: Page) => {
  await press(page, 'button', 'Menu');
  await byRole(page, 'treeitem', 'Campaigns');
};

const folderMenu = async (page: Page) => {
  await (await byRole(page, 'treeitem', 'Campaigns')).focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await byRole(page, 'menuitem', 'Rename');
};

const post = async (page: Page) => {
  await press(page, 'button', 'Sat 31 Jan 2026 18:30');
  await byRole(page, 'button', 'Remove drawing.png');
};

const trash = async (page: Page) => {
  await row('old.png')(page);
  await page.click('[role="row"] input[type="checkbox"]');
  await byRole(page, 'button', 'Delete forever');
};

/** Uploads more files than the list of uploads has room for. */
const uploads = async (page: Page) => {
  const [chooser] = await Promise.all([page.waitForFileChooser(), press(page, 'button', 'Upload')]);
  const names = Array.from({ length: 12 }, (_, at) => join(files, `${at + 1}.png`));
  for (const name of names) writeFileSync(name, png());
  await chooser.accept(names);
  await untilSays(page, '12 uploaded', 'h2');
};

/** Matches once the latest answer is shown. While older answers are shown, they are dimmed. */
const SETTLED = '.page-found[aria-busy="false"]';

const JANUARY = '/best-times?from=2026-01-01&to=2026-02-01';

interface State {
  readonly token?: string;
  readonly width?: number;
}

const PHONE = { width: 390 };
/** A workspace without any media or posts. */
const EMPTY_WORKSPACE = { token: 'foreign' };

/** Rows with the same path are adjacent, so that each page is loaded only once. */
const rows: readonly (readonly [what: string, path: string, ready: Ready, state?: State])[] = [
  ['a list of media', '/', (page) => press(page, 'radio', 'List')],
  ['a grid of media', '/', (page) => press(page, 'radio', 'Grid')],
  ['the dialog for a new folder', '/', dialog('New folder')],
  ['the dialog for an import', '/', dialog('Import from URL')],
  ['selected media', '/', selected],
  ['the alt texts of selected media', '/', dialog('Alt text')],
  ['a post with selected media', '/', dialog('Use in post')],
  ['the keyboard shortcuts', '/', shortcut('?')],
  ['the command palette', '/', shortcut('k', 'Control')],
  ['the dialog for renaming an item', '/', rename],
  ['the menu of a folder', '/', folderMenu],
  ['an image and its details', '/media/{drawing}', details('drawing.png')],
  ['the dialog that crops an image for a network', '/media/{drawing}', part],
  ['the confirmation of a deletion', '/media/{drawing}', deletion],
  ['an item on a phone', '/media/{drawing}?sort=-name', details('drawing.png'), PHONE],
  ['a video', '/media/{video}', details('film.mp4')],
  ['a failed item', '/media/{failed}', (page) => untilSays(page, 'Failed', '[role="alert"]')],
  ['an unknown item', '/media/{unknown}', (page) => byRole(page, 'dialog', 'Not found')],
  ['posts', '/posts', (page) => untilSays(page, 'Sun is out!')],
  ['posts on a phone', '/posts', (page) => untilSays(page, 'Sun is out!'), PHONE],
  ['a post', '/posts', post],
  ['a month of posts', '/posts?month=2026-01-30', (page) => untilSays(page, 'Sun is out!')],
  ['a week of posts on a phone', '/posts?week=2026-01-30', (page) => untilSays(page, 'Sun is out!'), PHONE],
  ['best times', JANUARY, (page) => byRole(page, 'table', 'Best times')],
  ['best times on a phone', JANUARY, (page) => byRole(page, 'table', 'Best times'), PHONE],
  ['the trash', '/trash', trash],
  ['the trash on a phone', '/trash', (page) => byRole(page, 'button', 'Delete forever'), PHONE],
  ['a library on a phone', '/', row('drawing.png'), PHONE],
  ['the filters on a phone', '/', dialog('Filters'), PHONE],
  ['selected media on a phone', '/', selected, PHONE],
  ['the folders on a phone', '/', folders, PHONE],
  ['a search without results', '/?search=nowhere', (page) => untilSays(page, 'Nothing found')],
  // This state adds many media, so the states of a small library come before it.
  ['finished uploads', '/?search=nowhere', uploads],
  ['an empty library', '/', (page) => untilSays(page, 'postshelf demo --workspace'), EMPTY_WORKSPACE],
  ['an empty list of posts', '/posts', (page) => untilSays(page, 'No posts yet'), EMPTY_WORKSPACE],
  ['best times without posts', '/best-times', (page) => untilSays(page, 'No posts', SETTLED), EMPTY_WORKSPACE],
];

describe.each(browser ? [browser] : [])('axe', (chromium) => {
  test('finds no serious problems in the sign-in page', async () => {
    const page = await chromium.openTab();
    await page.goto(world.server.url);
    await byRole(page, 'textbox', 'Access token');
    expect(await seriousFindings(page)).toEqual([]);
    await page.close();
  });

  /** The page that the previous test has left open. */
  let last: { readonly page: Page; readonly token: string; readonly path: string } | undefined;

  test.each(rows)('finds no serious problems in %s', async (_, path, ready, { token = 'all', width = 1280 } = {}) => {
    const known = last?.token === token ? last : undefined;
    const page = known?.page ?? (await openLibrary(chromium, world, path, { token, width }));
    if (known) await page.setViewport({ width, height: 900 });
    if (known && known.path !== path) await page.goto(`${world.server.url}${world.fill(path)}`);
    last = { page, token, path };
    await ready(page);
    // The window must not scroll, because its scroll bar would make the page narrower. Only parts of the page scroll.
    const isOneScreen = () => {
      const { scrollWidth, scrollHeight, clientWidth, clientHeight } = document.documentElement;
      return scrollWidth <= clientWidth && scrollHeight <= clientHeight;
    };
    expect(await page.evaluate(isOneScreen)).toBe(true);
    // The dark scheme isn't checked at the width of a phone, because the colours are the same at every width.
    expect(await seriousFindings(page, width === PHONE.width ? ['light'] : ['light', 'dark'])).toEqual([]);
    // This closes any dialog or menu above the page or above an open item. The item itself stays open.
    const open = '[role="dialog"]:not(.viewer), [role="alertdialog"], [role="menu"]';
    const isOpen = await page.$(open);
    if (isOpen) await page.keyboard.press('Escape');
    if (isOpen) await untilHolds(page, (above) => !document.querySelector(above), open);
  });

  test('the focused row and the active entry are outlined in forced colours, in which backgrounds are equal', async () => {
    const page = await openLibrary(chromium, world, '/');
    const session = await page.createCDPSession();
    await session.send('Emulation.setEmulatedMedia', { features: [{ name: 'forced-colors', value: 'active' }] });
    const outlineOf = (selector: string) =>
      page.$eval(selector, (element) => getComputedStyle(element).outline.replace(/^.* (solid \dpx)$/, '$1'));
    const all = await byRole(page, 'treeitem', 'All media');
    await all.focus();
    await byRole(page, 'treeitem', 'Campaigns');
    await page.keyboard.press('ArrowDown');
    const row = await outlineOf('[role="treeitem"]:focus');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await byRole(page, 'menuitem', 'Rename');
    const item = await outlineOf('[role="menuitem"]:focus');
    await page.keyboard.press('Escape');
    await untilHolds(page, () => !document.querySelector('[role="menu"]'));
    await shortcut('k', 'Control')(page);
    const command = await outlineOf('[role="option"][aria-selected="true"]');
    expect({ row, item, command }).toEqual({ row: 'solid 2px', item: 'solid 2px', command: 'solid 2px' });
    await page.close();
  });
});
