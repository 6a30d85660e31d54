import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'puppeteer-core';
import { gate, serveGated, status } from '../imports/support/answers.ts';
import { fastMovie, megabyte } from '../imports/support/files.ts';
import { importUrl, loopback } from '../imports/support/imports.ts';
import { Origin } from '../imports/support/origin.ts';
import { installedBrowsers } from '../support/browsers.ts';
import { hasFfmpeg } from '../support/ffmpeg.ts';
import { jpeg, mp4, png } from '../support/fixtures.ts';
import { sized } from '../support/long.ts';
import { file } from '../support/multipart.ts';
import { arrayAt, at, stringAt } from '../support/reply.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import {
  byRole,
  fill,
  holdRequests,
  openLibrary,
  press,
  showDetails,
  untilAt,
  untilHolds,
  untilSays,
} from './support/page.ts';

const browsers = installedBrowsers('an item of the library in a browser').slice(0, sized(1, 2));

let world: World;
let origin: Origin;

beforeAll(async () => {
  [world, origin] = await Promise.all([World.open(loopback), Origin.open()]);
  world.ids.folder = await world.folder('Summer', await world.folder('Campaigns'));
  const store = async (name: string, bytes: Uint8Array) =>
    (await world.storeOne({ name: 'folder_id', value: world.ids.folder ?? '' }, file(name, bytes))).id;
  world.ids.photo = await store('beach.jpg', jpeg());
  world.ids.drawing = await store('drawing.png', png());
  world.ids.video = await store('film.mp4', mp4(4));
  const profile = await world.call('POST /workspaces/{workspace}/profiles', { json: { name: 'Us', network: 'x' } });
  const post = { published_at: '2026-01-31T18:30:00Z', media_content_ids: ['{photo}'] };
  const json = { ...post, profile: stringAt(profile.json, 'data', 'id') };
  await world.call('POST /workspaces/{workspace}/posts', { json });
});

afterAll(async () => {
  await Promise.all(browsers.map((browser) => browser.close()));
  await origin.close();
  await world.close();
});

const shown = async (id: string) => at((await world.call(`GET /media_contents/${id}?include=details`)).json, 'data');

const textIn = async (page: Page, name: string): Promise<string> =>
  (await byRole(page, 'textbox', name)).evaluate((field) => (field as HTMLInputElement).value);

describe.each(browsers.map((browser) => [browser.name, browser] as const))('an item in %s', (name, browser) => {
  let page: Page;
  const open = async (path: string, options = {}) => {
    page = await openLibrary(browser, world, path, options);
  };

  test('shows its details and readiness, and plays', async () => {
    await open('/media/{video}?folder={folder}&type=video');
    await showDetails(page, 'film.mp4');
    await untilSays(page, 'Campaigns / Summer', 'dl');
    await untilSays(page, '64 × 48', 'dl');
    await untilSays(page, '0:04', 'dl');
    await untilSays(page, 'No posts', 'dl');
    await untilSays(page, 'Uploaded by ', 'dl');
    await byRole(page, 'table', 'Ready to publish');
    await byRole(page, 'rowheader', 'YouTube video');
    const rows = await page.$$eval('table tbody tr', (all) =>
      all.map((row) => row.textContent.replaceAll(/\s+/g, ' ')),
    );
    expect(rows.find((row) => row.startsWith('Instagram reel'))).toMatch(
      /Not ready.*must start with.* Rewrite the file/,
    );
    const seeked = await page.$eval('video', async (video) => {
      video.currentTime = 3;
      await new Promise((resolve) => video.addEventListener('seeked', resolve, { once: true }));
      return [
        video.controls,
        Math.round(video.duration),
        video.currentTime,
        new URL(video.poster).pathname.split('/')[1],
      ];
    });
    expect(seeked).toEqual([true, 4, 3, 'previews']);
    // The item doesn't have the aspect ratio of a reel, so the dialog offers ways to fit it.
    await page.$$eval('table tr', (all) => {
      all
        .find((row) => row.textContent.startsWith('Facebook reel'))
        ?.querySelector('button')
        ?.click();
    });
    await press(page, 'radio', 'Upright 9:16');
    await page.keyboard.press('Escape');
    await untilHolds(page, () => document.querySelectorAll('[role="dialog"]').length === 1);
    // Escape leads back to the list with its filters, even if no element has the focus, as right after a dialog is
    // closed.
    await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
    await page.keyboard.press('Escape');
    await untilAt(page, `/folders/${world.ids.folder}`);
    expect(new URL(page.url()).search).toBe('?type=video');
  });

  // Other browsers run only the test above.
  if (name !== 'Chromium') return;

  test.skipIf(!hasFfmpeg)('uses the current frame as its cover', async () => {
    await open('/media/{video}');
    await showDetails(page, 'film.mp4');
    const before = at(await shown('{video}'), 'thumbnail', 'id');
    await page.waitForSelector('video');
    await page.$eval('video', async (video) => {
      video.currentTime = 2;
      await new Promise((resolve) => video.addEventListener('seeked', resolve, { once: true }));
    });
    await press(page, 'button', 'Use this frame as cover');
    await untilSays(page, 'This frame is the cover now.', 'body');
    const after = stringAt(await shown('{video}'), 'thumbnail', 'id');
    expect(after).not.toBe(before as string);
    await untilHolds(page, (id) => document.querySelector('video')?.poster.includes(id) ?? false, after);
  });

  test('shows on its tile and in its details which networks accept it, and which can fetch it', async () => {
    for (const network of ['Instagram', 'YouTube']) {
      const json = { name: `${network} too`, network };
      await world.call('POST /workspaces/{workspace}/profiles', { json });
    }
    const { json } = await world.call('GET /media_contents/{photo}/readiness?targets=instagram.feed,x.post');
    const [feed, x] = arrayAt(json, 'data').map((found) => {
      const errors = arrayAt(found, 'problems').filter((problem) => at(problem, 'severity') === 'error').length;
      const isReady = errors > 0 ? `not ready, ${errors} problem${errors > 1 ? 's' : ''}` : 'ready';
      return at(found, 'verdict') === 'warning' ? 'ready, with advice' : isReady;
    });
    await open('/folders/{folder}');
    const named = (selector: string) =>
      page.$$eval(`${selector} [role="img"]`, (all) => all.map((one) => one.getAttribute('aria-label') ?? ''));
    await page.waitForSelector('[role="row"][aria-label="beach.jpg"] [role="img"]');
    expect(await named('[role="row"][aria-label="beach.jpg"]')).toEqual([
      `Instagram feed: ${feed}`,
      'YouTube Short: video only',
      `X: ${x}`,
    ]);
    await (await page.$('[role="row"][aria-label="beach.jpg"] .tile-frame'))?.click();
    await showDetails(page, 'beach.jpg');
    await byRole(page, 'image', 'Instagram reel: video only');
    expect(await named('[aria-label="Details"]')).toEqual([
      `Instagram feed: ${feed}`,
      'Instagram reel: video only',
      expect.stringMatching(/^Instagram story: /),
      'YouTube video: video only',
      'YouTube Short: video only',
      `X: ${x}`,
    ]);
    // The table shows the verdict "video only" for YouTube Short as well.
    await untilSays(page, 'YouTube ShortVideo only', 'table');
    await press(page, 'button', 'Check the link');
    for (const sentence of [
      'Instagram can fetch the file.',
      'Mastodon can fetch the file.',
      'TikTok accepts links only from',
    ])
      await untilSays(page, sentence, '[role="status"][aria-label="Link check"]');
  });

  test('is changed by Save, and shows changes by others without discarding typed text', async () => {
    await open('/media/{photo}');
    await showDetails(page, 'beach.jpg');
    await fill(page, 'Name', '.jpg');
    await fill(page, 'Alt text', 'Wide sea');
    await world.call('PATCH /media_contents/{photo}', { json: { label: 'By others', tags: ['sea'] } });
    await byRole(page, 'button', 'Remove tag sea');
    expect([await textIn(page, 'Name'), await textIn(page, 'Label')]).toEqual(['.jpg', 'By others']);
    await press(page, 'button', 'Save');
    await untilSays(page, 'The name field is required.', 'form');
    await fill(page, 'Name', 'Wide sea');
    await press(page, 'button', 'Save');
    await byRole(page, 'dialog', 'Wide sea.jpg');
    expect(await shown('{photo}')).toMatchObject({
      ...{ name: 'Wide sea.jpg', label: 'By others' },
      details: { alt_text: 'Wide sea', tags: ['sea'] },
    });
    // Moving the focus from a text to something else in the details saves the text.
    await fill(page, 'Alt text', 'A wide sea');
    await fill(page, 'Add tag', 'Summer');
    await until(
      'the alt text is saved',
      async () => at(await shown('{photo}'), 'details', 'alt_text') === 'A wide sea',
    );
    await page.keyboard.press('Enter');
    await press(page, 'button', 'Remove tag Summer');
    await untilHolds(page, () => !document.querySelector('[aria-label="Remove tag Summer"]'));
    expect(await page.evaluate(() => document.activeElement?.ariaLabel)).toBe('Remove tag sea');
    // A tag links to all media that have it.
    await press(page, 'link', 'sea');
    await untilAt(page, '/');
    expect(new URL(page.url()).searchParams.get('tag')).toBe('sea');
    await untilHolds(page, () => document.querySelectorAll('[role="grid"] [role="row"]').length === 1);
    const tag = await byRole(page, 'combobox', 'Tag');
    expect(await tag.evaluate((select) => (select as HTMLSelectElement).value)).toBe('sea');
    await page.goto(`${world.server.url}${world.fill('/media/{photo}')}`);
    await showDetails(page, 'Wide sea.jpg');
    // Unsaved changes are only discarded after a confirmation.
    await fill(page, 'Label', 'Not kept');
    await page.keyboard.press('Escape');
    await byRole(page, 'alertdialog');
    await press(page, 'button', 'Keep editing');
    expect(await textIn(page, 'Label')).toBe('Not kept');
    await press(page, 'button', 'Close');
    await press(page, 'button', 'Discard');
    // The item was opened by its URL, so closing it leads to the list of its folder.
    await untilAt(page, `/folders/${world.ids.folder}`);
    expect(await shown('{photo}')).toMatchObject({ label: 'By others' });
  });

  test('keeps the tag that is typed while another one is being saved', async () => {
    let release = (): void => undefined;
    const prepare = (tab: Page): void => {
      ({ release } = holdRequests(tab, /media\.update/));
    };
    await open('/media/{drawing}', { prepare });
    await showDetails(page, 'drawing.png');
    await fill(page, 'Add tag', 'line, ink');
    await page.keyboard.press('Enter');
    await byRole(page, 'button', 'Remove tag ink');
    await page.keyboard.type('paper');
    release();
    await until('the tags are saved', async () => arrayAt(await shown('{drawing}'), 'details', 'tags').length === 2);
    await untilHolds(page, () => !document.querySelector('.item-tags [aria-disabled]'));
    expect(await textIn(page, 'Add tag')).toBe('paper');
    await page.close();
  });

  test('shows both versions of a text that someone else changed meanwhile, and saves only the chosen one', async () => {
    await open('/media/{drawing}');
    await showDetails(page, 'drawing.png');
    const byOthers = (json: object) => world.call('PATCH /media_contents/{drawing}', { json });
    await fill(page, 'Label', 'Mine');
    await fill(page, 'Alt text', 'My words');
    await byOthers({ label: 'Theirs' });
    await press(page, 'button', 'Save');
    await untilSays(page, 'Someone else changed this', '[role="alert"]');
    await untilSays(page, 'Theirs: Theirs', '[role="alert"]');
    await untilSays(page, 'Yours: Mine', '[role="alert"]');
    expect(await shown('{drawing}')).toMatchObject({ label: 'Theirs', details: { alt_text: null } });
    await press(page, 'button', 'Keep theirs');
    expect([await textIn(page, 'Label'), await textIn(page, 'Alt text')]).toEqual(['Theirs', 'My words']);
    await byOthers({ alt_text: 'Their words' });
    await press(page, 'button', 'Save');
    await untilSays(page, 'Theirs: Their words', '[role="alert"]');
    await press(page, 'button', 'Save mine');
    await untilSays(page, 'Saved.', 'body');
    expect(await shown('{drawing}')).toMatchObject({ label: 'Theirs', details: { alt_text: 'My words' } });
  });

  test('shows how many posts use it before it is deleted, and is not found afterwards', async () => {
    const { id } = await world.storeOne(file('gone.png', png()));
    await open('/media/{photo}');
    await showDetails(page, 'Wide sea.jpg');
    await press(page, 'button', 'Delete');
    await untilSays(page, '1 post uses it', '[role="alertdialog"]');
    await page.goto(`${world.server.url}/media/${id}`);
    await showDetails(page, 'gone.png');
    await press(page, 'button', 'Delete');
    await untilSays(page, 'No post uses it', '[role="alertdialog"]');
    await (await page.$$('[role="alertdialog"] button')).at(-1)?.click();
    await untilHolds(page, () => location.pathname === '/');
    expect((await world.call(`GET /media_contents/${id}`)).status).toBe(404);
    for (const path of [`/media/${id}`, '/media/{unknown}', '/media/none']) {
      await page.goto(`${world.server.url}${world.fill(path)}`);
      await byRole(page, 'dialog', 'Not found');
    }
  });

  test('shows whether its import is running, has ended or has failed', async () => {
    const rest = gate();
    const slow = origin.page('slow.mp4', serveGated(fastMovie(2 * megabyte), megabyte, rest));
    const { json } = await importUrl(world, slow.url);
    const id = stringAt(json, 'data', 0, 'id');
    await open(`/media/${id}`);
    await untilSays(page, 'Processing');
    rest.open();
    await page.waitForSelector('video');
    const none = origin.page('none.mp4', status(404));
    const failed = await importUrl(world, none.url);
    await page.goto(`${world.server.url}/media/${stringAt(failed.json, 'data', 0, 'id')}`);
    await untilSays(page, 'Failed', '[role="alert"]');
  });

  test('is fitted to several networks, each of which gets the chosen crop', async () => {
    await open('/media/{drawing}');
    await showDetails(page, 'drawing.png');
    await press(page, 'button', 'Fit for Instagram feed');
    await byRole(page, 'dialog', 'Fit for Instagram feed');
    await press(page, 'checkbox', 'X');
    await press(page, 'radio', 'Square 1:1');
    const part = await page.waitForSelector('[aria-label^="Visible part of the image"]');
    // The drawing is 32 pixels wide and 24 high. At a zoom of 2, a square of 12 pixels is visible. The arrow key moves
    // the square to the left edge.
    const zoom = await byRole(page, 'slider', 'Zoom');
    await zoom.focus();
    for (let step = 0; step < 20; step += 1) await page.keyboard.press('ArrowRight');
    await part?.focus();
    for (let step = 0; step < 60; step += 1) await page.keyboard.press('ArrowRight');
    const request = page.waitForRequest((one) => one.url().includes('media.fit'));
    await press(page, 'button', 'Create');
    const { crop } = JSON.parse((await request).postData() ?? '{}');
    expect(crop).toMatchObject({
      x: expect.closeTo(0, 2),
      width: expect.closeTo(0.375, 2),
      height: expect.closeTo(0.5, 2),
    });
    await untilSays(page, '2 copies are being made.', 'body');
    const made = await Promise.all(
      ['drawing-instagram-feed', 'drawing-x-post'].map(async (name) => {
        const found = `GET /workspaces/{workspace}/media_contents?search=${name}&status=active`;
        await until(`${name} is made`, async () => arrayAt((await world.call(found)).json, 'data').length > 0);
        const { json } = await world.call(found);
        return [at(json, 'data', 0, 'width'), at(json, 'data', 0, 'height')];
      }),
    );
    expect(made).toEqual([
      [320, 320],
      [12, 12],
    ]);
  });

  test('starts with the previous position of the crop when it is fitted again', async () => {
    // The previous test moved the visible square to the left edge. Its width is three eighths of the drawing's, so its
    // centre is at 0.1875.
    const kept = async () => at(await shown('{drawing}'), 'details', 'focus');
    await until('the place is kept', async () => (await kept()) !== null);
    expect(await kept()).toEqual({ x: expect.closeTo(0.1875, 2), y: expect.closeTo(0.5, 2) });
    await open('/media/{drawing}');
    await showDetails(page, 'drawing.png');
    await press(page, 'button', 'Fit for Instagram feed');
    await press(page, 'radio', 'Square 1:1');
    await page.waitForSelector('[aria-label^="Visible part of the image"]');
    const request = page.waitForRequest((one) => one.url().includes('media.fit'));
    await press(page, 'button', 'Create');
    const { crop } = JSON.parse((await request).postData() ?? '{}');
    expect(crop).toMatchObject({ x: expect.closeTo(0, 2), width: expect.closeTo(0.75, 2), height: 1 });
  });

  test('is fitted to a network on a narrow screen, by keyboard only', async () => {
    await open('/media/{drawing}', { width: 390, height: 844 });
    await showDetails(page, 'drawing.png');
    await (await byRole(page, 'button', 'Fit for Instagram feed')).focus();
    await page.keyboard.press('Enter');
    await byRole(page, 'dialog', 'Fit for Instagram feed');
    const create = (await page.$$('[role="dialog"] button[type="submit"]')).at(-1);
    // The button is in view without scrolling.
    expect(await create?.isIntersectingViewport()).toBe(true);
    await create?.focus();
    await page.keyboard.press('Enter');
    await (await byRole(page, 'link', 'Show it')).focus();
    await page.keyboard.press('Enter');
    await byRole(page, 'dialog', 'drawing-instagram-feed.jpg');
    await page.waitForSelector('.viewer .pswp__img:not(.pswp__img--placeholder)');
    await untilSays(page, 'Instagram feedReady', 'table');
  });
});
