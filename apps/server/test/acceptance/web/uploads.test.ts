import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sized } from '@postshelf/harness';
import { bigMp4 } from '@postshelf/testing/fixtures';
import type { Page } from 'puppeteer-core';
import { gate, serve, serveGated, status } from '../imports/support/answers.ts';
import { loopback } from '../imports/support/imports.ts';
import { Origin } from '../imports/support/origin.ts';
import { type InstalledBrowser, installedBrowsers } from '../support/browsers.ts';
import { jpeg, mp4, png } from '../support/fixtures.ts';
import { arrayAt, at } from '../support/reply.ts';
import { removeFolder, scratchFolder } from '../support/server.ts';
import { onDisk } from '../support/storage.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { byRole, fill, openLibrary, POLLING, press, untilHolds, untilSays } from './support/page.ts';

const MIB = 2 ** 20;

/**
 * Milliseconds for which the service or the network is down. The longer the outage lasts, the less often the page
 * retries.
 */
const AWAY = sized(0, 30_000);

const browsers = installedBrowsers('uploads of the library in a browser').slice(0, sized(1, 2));
const chromium = browsers.find(({ name }) => name === 'Chromium');

let files: string;
let world: World;
let origin: Origin;
let page: Page;

beforeAll(async () => {
  files = scratchFolder();
  // These tests keep files on the disk. A bucket has its own CORS rules, which `postshelf storage setup` creates and
  // the tests of that command check.
  [world, origin] = await Promise.all([World.open({ ...onDisk, ...loopback }), Origin.open()]);
});

afterAll(async () => {
  await Promise.all(browsers.map((browser) => browser.close()));
  await origin.close();
  await world.close();
  removeFolder(files);
});

/** Writes a file to upload, and returns its path. */
function put(path: string, bytes: Uint8Array | string = png()): string {
  const whole = join(files, path);
  mkdirSync(join(whole, '..'), { recursive: true });
  writeFileSync(whole, bytes);
  return whole;
}

/**
 * Drops files and folders onto the page, as if they were dragged from outside of the browser. Only Chromium can do
 * this.
 */
async function drop(...paths: readonly string[]): Promise<void> {
  const cdp = await page.createCDPSession();
  const data = { items: [], files: [...paths], dragOperationsMask: 1 };
  await page.evaluate(() =>
    addEventListener('drop', () => document.body.setAttribute('data-dropped', ''), { capture: true, once: true }),
  );
  const isDropped = () => page.$eval('body', (body) => body.hasAttribute('data-dropped'));
  for (let attempt = 1; !(await isDropped()); attempt += 1) {
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
      await cdp.send('Input.dispatchDragEvent', { type, x: 600, y: 400, data });
    }
    // About one in thirty drops doesn't reach the page, although the page has accepted the drag.
    await until('the page gets the files', isDropped, 5000).catch((error) => {
      if (attempt === 3) throw error;
    });
  }
  await page.$eval('body', (body) => body.removeAttribute('data-dropped'));
  await cdp.detach();
}

/** Drops or pastes a file without a path. A script dispatches the event, which works in every browser. */
const dispatchFile = (kind: 'drop' | 'paste', name: string, bytes: Uint8Array): Promise<void> =>
  page.evaluate(
    (event, fileName, content) => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(content)], fileName));
      const common = { bubbles: true, cancelable: true };
      // Firefox ignores the clipboard data that a script gives to the constructor of the event.
      const pasted = Object.defineProperty(new Event('paste', common), 'clipboardData', { value: data });
      document.body.dispatchEvent(event === 'drop' ? new DragEvent('drop', { ...common, dataTransfer: data }) : pasted);
    },
    kind,
    name,
    [...bytes],
  );

const tray = '[aria-label="Uploads"]';

/** The rows of the tray, each with its name, the value of its progress bar, its text, and its buttons. */
const rows = () =>
  page.$$eval(`${tray} li`, (all) =>
    all.map((row) => ({
      name: row.querySelector('[title]')?.getAttribute('title'),
      value: row.querySelector('[role="progressbar"]')?.getAttribute('aria-valuenow'),
      says: row.textContent,
      buttons: Array.from(row.querySelectorAll('button'), (button) => button.textContent),
    })),
  );

const row = async (name: string) => (await rows()).find((one) => one.name === name);

const untilTray = (text: string): Promise<void> => untilSays(page, text, tray);

/** The sorted names of the media in a folder. `root` is the top level of the library. */
async function namesIn(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (let number = 1, last = 1; number <= last; number += 1) {
    const { json } = await world.call(
      `GET /workspaces/{workspace}/media_contents?folder_id=${folder}&per_page=100&page=${number}`,
    );
    found.push(...(at(json, 'data') as { name: string }[]).map(({ name }) => name));
    last = Number(at(json, 'meta', 'last_page'));
  }
  return found.sort();
}

/** The ids of the folders directly in a folder, by their names. */
async function foldersIn(parent: string): Promise<Record<string, string>> {
  const { json } = await world.call(
    `GET /workspaces/{workspace}/media_library/folders?parent_id=${parent}&per_page=100`,
  );
  return Object.fromEntries((at(json, 'data') as { id: string; name: string }[]).map(({ id, name }) => [name, id]));
}

const open = async (browser: InstalledBrowser | undefined, path: string) => {
  if (!browser) throw new Error('No browser.');
  page = await openLibrary(browser, world, path);
  await byRole(page, 'navigation', 'Main');
};

describe.skipIf(!chromium)('dropped files', () => {
  const count = sized(20, 200);

  test('are each stored once in their folders, even if the service is killed, and refused ones are reported', async () => {
    await open(chromium, '/');
    const existing = await world.folder('Shoot');
    const names = Array.from({ length: count }, (_, index) => `photo ${index}.png`);
    // The service treats “Maße ﬁlm” and “MASSE FILM” as the same name.
    const folderOf = (index: number): string =>
      ['Maße ﬁlm', 'Day two/Raw', 'MASSE FILM', 'Day two/Raw'][index % 4] ?? '';
    for (const [index, name] of names.entries()) put(join('shoot', folderOf(index), name));
    put('shoot/.DS_Store', 'x');
    put('shoot/Empty/.keep', '');
    const huge = put('huge.mp4', mp4());
    truncateSync(huge, 2048 * MIB + 1);
    await bigMp4(join(files, 'long.mp4'), 21 * MIB);
    const refused = {
      'notes.jpg': [put('notes.jpg', 'hello'), 'The file must be a file of type: jpeg, png, gif, webp, mp4, mov.'],
      'none.png': [put('none.png', ''), 'The file must not be empty.'],
      'huge.mp4': [huge, 'The file must not be greater than 2147483648 bytes (2 GB).'],
      'half.png': [put('half.png', png().slice(0, -20)), 'The file is damaged: its media data is incomplete.'],
    } as const;
    await drop(join(files, 'shoot'), join(files, 'long.mp4'), ...Object.values(refused).map(([path]) => path));
    await until('some are uploaded', async () => (await rows()).some(({ says }) => says.includes('Uploaded')), 60_000);
    await world.server.end('SIGKILL');
    await untilTray('Waiting for the network');
    await Bun.sleep(AWAY);
    await world.restart();
    const summary = `${count + 1} uploaded, ${Object.keys(refused).length} failed`;
    const isDone = () => page.$eval('body', (body, text) => body.textContent.includes(text), summary);
    await until('all are uploaded or refused', isDone, 60_000, POLLING);
    for (const [name, [, sentence]] of Object.entries(refused)) {
      expect([name, (await row(name))?.says, (await row(name))?.buttons]).toEqual([
        name,
        expect.stringContaining(sentence),
        [],
      ]);
    }
    // Failed uploads come first.
    expect((await rows()).slice(0, 4).map((one) => one.name)).toEqual(Object.keys(refused));
    expect(await page.$$('aria/[role="listitem"]')).toHaveLength(count + 5);
    // Screen readers would read the symbol in place of a missing thumbnail before each name.
    expect(JSON.stringify(await page.accessibility.snapshot())).not.toMatch(/▦/);
    expect(await row('photo 1.png')).toMatchObject({ value: '100', buttons: [] });
    // On a phone the long list is above the links to the pages.
    await page.setViewport({ width: 390, height: 844 });
    const links = await (await byRole(page, 'navigation', 'Main')).boundingBox();
    const list = await (await page.$(tray))?.boundingBox();
    if (!list || !links) throw new Error('Nothing to measure.');
    expect(list.y + list.height).toBeLessThanOrEqual(links.y);
    expect(list.y).toBeGreaterThan(0);
    await page.setViewport({ width: 1280, height: 900 });
    // The page has used the existing folder.
    const { Shoot, ...others } = await foldersIn('root');
    expect([Shoot, others]).toEqual([existing, {}]);
    const { 'Day two': two = '', ...more } = await foldersIn(existing);
    expect(Object.keys(more).map((each) => each.toUpperCase())).toEqual(['MASSE FILM']);
    const [one = ''] = Object.values(more);
    const raw = (await foldersIn(two)).Raw ?? '';
    expect(await namesIn(one)).toEqual(names.filter((_, index) => index % 2 === 0).sort());
    expect(await namesIn(raw)).toEqual(names.filter((_, index) => index % 2).sort());
    expect(await namesIn('root')).toEqual(['long.mp4']);
    await press(page, 'button', 'Clear finished');
    await untilHolds(page, (selector) => !document.querySelector(selector), tray);
    await page.close();
  });

  test('wait while offline, can be cancelled and retried, and make the page ask before it is left', async () => {
    const folder = await world.folder('Open');
    await open(chromium, `/folders/${folder}`);
    await drop(put('first.jpg', jpeg()));
    await untilTray('1 uploaded');
    await page.setOfflineMode(true);
    await drop(put('second.jpg', jpeg()), put('third.jpg', jpeg()));
    await until(
      'both wait',
      async () => (await rows()).filter(({ says }) => says.includes('for the network')).length === 2,
    );
    await press(page, 'button', 'Cancel upload of second.jpg');
    await untilTray('Cancelled');
    expect((await row('second.jpg'))?.buttons).toEqual(['Retry']);
    const asked = new Promise<string>((resolve) =>
      page.once('dialog', async (dialog) => {
        await dialog.dismiss();
        resolve(dialog.type());
      }),
    );
    await page.evaluate(() => location.assign('/posts'));
    expect(await asked).toBe('beforeunload');
    await press(page, 'button', 'Sign out');
    await byRole(page, 'alertdialog', 'Uploads aren’t finished');
    await press(page, 'button', 'Stay');
    await Bun.sleep(AWAY);
    await page.setOfflineMode(false);
    await untilTray('2 uploaded');
    expect(await namesIn(folder)).toEqual(['first.jpg', 'third.jpg']);
    await press(page, 'button', 'Retry');
    await untilTray('3 uploaded');
    expect(await namesIn(folder)).toEqual(['first.jpg', 'second.jpg', 'third.jpg']);
    await page.close();
  });

  test('wait for the service, even if the first file is chosen while the service is down', async () => {
    await open(chromium, '/');
    // The code for uploads is preloaded once the page has settled.
    await until('the uploader is loaded', () =>
      page.evaluate(() => performance.getEntriesByType('resource').some(({ name }) => name.includes('/uploader-'))),
    );
    await page.waitForNetworkIdle();
    await world.server.end('SIGKILL');
    const long = 'long '.repeat(30).trim();
    const [chooser] = await Promise.all([page.waitForFileChooser(), press(page, 'button', 'Upload')]);
    await chooser.accept([put('patient.jpg', jpeg()), put(`${long}.jpg`, jpeg())]);
    await untilTray('Waiting for the network');
    await world.restart();
    await untilTray('2 uploaded');
    // The page shows how the service has changed a name.
    const shortened = `${long.slice(0, 99)}.jpg`;
    await untilTray(`Its name was too long and has been shortened: ${shortened}`);
    expect((await row('patient.jpg'))?.says).not.toContain('shortened');
    expect(await namesIn('root')).toContain(shortened);
    await page.close();
  });

  test('above 20 MB can be paused, and resume after the service is killed and the page is reloaded', async () => {
    await open(chromium, '/');
    const size = 22 * MIB;
    await bigMp4(join(files, 'long film.mp4'), size);
    const [calls, offsets]: [string[], number[]] = [[], []];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (/\/uploads(?:\/|$)/.test(pathname)) calls.push(request.method());
      if (request.method() === 'PATCH') offsets.push(Number(request.headers()['upload-offset']));
    });
    const slowly = (upload: number) => page.emulateNetworkConditions({ upload, download: -1, latency: 0 });
    const untilSent = (percent: number): Promise<void> =>
      until(`${percent} % are sent`, async () => Number((await row('long film.mp4'))?.value) >= percent);
    await page.evaluate(() => {
      for (let nth = 0; nth < 150; nth += 1)
        localStorage.setItem(`postshelf-unfinished:${nth}`, `id ${nth < 100 ? Date.now() - 1000 : 0}`);
    });
    await slowly(6 * MIB);
    await drop(join(files, 'long film.mp4'));
    await untilSent(15);
    await press(page, 'button', 'Pause');
    await untilTray('Paused');
    expect((await row('long film.mp4'))?.buttons).toEqual(['Resume', 'Cancel']);
    await press(page, 'button', 'Resume');
    await untilSent(30);
    await world.server.end('SIGKILL');
    await untilTray('Waiting for the network');
    await Bun.sleep(AWAY);
    await world.restart();
    await untilSent(50);
    page.once('dialog', (dialog) => dialog.accept());
    await page.reload();
    await byRole(page, 'navigation', 'Main');
    await slowly(-1);
    // The first drop resumes the upload, and the second one starts another.
    await drop(join(files, 'long film.mp4'));
    await drop(join(files, 'long film.mp4'));
    await untilTray('2 uploaded');
    expect(calls.filter((method) => method === 'POST')).toHaveLength(2);
    // Received bytes aren't sent again, except for the last megabytes, which a killed service may have lost.
    const [first, paused, killed, ...last] = offsets.map((offset) => offset / size);
    const [other, reloaded, ...more] = last.sort();
    expect([first, other, more]).toEqual([0, 0, []]);
    expect(paused).toBeGreaterThan(0.05);
    expect(killed).toBeGreaterThanOrEqual(paused ?? 1);
    expect(reloaded).toBeGreaterThan(0.4);
    const remembered = await page.evaluate(() => Object.keys(localStorage));
    expect(remembered).toHaveLength(99);
    expect(remembered.filter((key) => key.includes('film') || Number(key.split(':')[1]) >= 100)).toEqual([]);
    await page.close();
  });

  test('of one file in two tabs are two uploads, of which one can be cancelled', async () => {
    if (!chromium) return;
    await open(chromium, '/');
    const first = page;
    await bigMp4(join(files, 'twice.mp4'), 22 * MIB);
    const slowly = { upload: 4 * MIB, download: -1, latency: 0 };
    await first.emulateNetworkConditions(slowly);
    await drop(join(files, 'twice.mp4'));
    await until('some is sent', async () => Number((await row('twice.mp4'))?.value) >= 10);
    page = await chromium.openTab();
    await page.goto(first.url());
    await byRole(page, 'navigation', 'Main');
    await page.emulateNetworkConditions(slowly);
    await drop(join(files, 'twice.mp4'));
    await until('the other tab sends it as well', async () => Number((await row('twice.mp4'))?.value) >= 5);
    await press(page, 'button', 'Cancel upload of twice.mp4');
    await untilTray('Cancelled');
    await page.close();
    page = first;
    await page.emulateNetworkConditions(null);
    await untilTray('1 uploaded');
    const { json } = await world.call('GET /workspaces/{workspace}/media_contents?search=twice');
    expect(arrayAt(json, 'data')).toHaveLength(1);
    await page.close();
  });

  test.each([sized(101, 1024)])(
    'of %i MB are not held in memory by the page, even under another host name',
    async (megabytes) => {
      if (!chromium) return;
      page = await chromium.openTab();
      await page.goto(`http://localhost:${world.server.port}/`);
      await fill(page, 'Access token', world.tokens.all ?? '');
      await press(page, 'button', 'Sign in');
      await byRole(page, 'navigation', 'Main');
      await bigMp4(join(files, 'film.mp4'), megabytes * MIB);
      const cdp = await page.createCDPSession();
      await cdp.send('HeapProfiler.enable');
      let max = 0;
      await drop(join(files, 'film.mp4'));
      await until(
        'the video is uploaded',
        async () => {
          const {
            usedSize,
            embedderHeapUsedSize = 0,
            backingStorageSize = 0,
          } = (await cdp.send('Runtime.getHeapUsage')) as {
            usedSize: number;
            embedderHeapUsedSize?: number;
            backingStorageSize?: number;
          };
          max = Math.max(max, usedSize + embedderHeapUsedSize + backingStorageSize);
          return (await row('film.mp4'))?.says?.includes('Uploaded') ?? false;
        },
        60_000,
      );
      expect(max).toBeLessThan(75 * MIB);
      await page.close();
    },
  );
});

test.skipIf(!chromium)('files are uploaded behind a proxy that adds a path', async () => {
  const proxy = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { pathname, search } = new URL(request.url);
      if (!pathname.startsWith('/shelf/')) return new Response('Another service.', { status: 404 });
      const { method, headers, body } = request;
      const below = `${world.server.url}${pathname.slice('/shelf'.length)}${search}`;
      return fetch(below, { method, headers, body, decompress: false, redirect: 'manual' });
    },
  });
  try {
    if (!chromium) return;
    page = await chromium.openTab();
    await page.goto(`${proxy.url}shelf/posts`);
    await fill(page, 'Access token', world.tokens.all ?? '');
    await press(page, 'button', 'Sign in');
    await (await byRole(page, 'link', 'Library')).click();
    const [chooser] = await Promise.all([page.waitForFileChooser(), press(page, 'button', 'Upload')]);
    await chooser.accept([put('proxied.jpg', jpeg())]);
    await untilTray('1 uploaded');
    expect(await namesIn('root')).toContain('proxied.jpg');
    await page.close();
  } finally {
    await proxy.stop(true);
  }
});

describe.each(browsers.map((browser) => [browser.name, browser] as const))('in %s', (name, browser) => {
  test('dropped and pasted files go to the folder that was open at that time', async () => {
    const folder = await world.folder(`In ${name}`);
    await open(browser, `/folders/${folder}`);
    await dispatchFile('drop', 'dropped.jpg', jpeg());
    await dispatchFile('paste', 'image.png', png());
    // The link doesn't reload the page, so the uploads continue.
    await (await byRole(page, 'link', 'Posts')).click();
    await untilTray('2 uploaded');
    const [pasted, dropped] = await namesIn(folder);
    expect(pasted).toMatch(/^Pasted \d{4}-\d\d-\d\d at \d\d\.\d\d\.\d\d\.png$/);
    expect(dropped).toBe('dropped.jpg');
    await page.close();
  });

  // Other browsers run only the test above.
  if (name !== 'Chromium') return;

  test('files are chosen by keyboard and shown immediately, and the list collapses when all are uploaded', async () => {
    const folder = await world.folder('Of its own');
    await open(browser, `/folders/${folder}`);
    const button = await byRole(page, 'button', 'Upload');
    expect(await page.$eval('input[type="file"]', (input) => input.accept)).toBe(
      'image/jpeg,image/png,image/gif,image/webp,video/mp4,video/quicktime,image/heic,image/heif,image/avif,.heic,.heif,.avif',
    );
    const [chooser] = await Promise.all([page.waitForFileChooser(), button.press('Enter')]);
    expect(chooser.isMultiple()).toBe(true);
    await chooser.accept([put('chosen one.jpg', jpeg()), put('chosen two.jpg', jpeg())]);
    await untilTray('2 uploaded');
    await byRole(page, 'row', 'chosen two.jpg');
    // The second file has the same bytes as the first one.
    await untilTray('A duplicate: the library already had this file, as ');
    // The list stays open while it shows messages from the service. Otherwise it collapses after a while, and the next
    // upload expands it.
    await press(page, 'button', 'Clear finished');
    await bigMp4(join(files, 'alone.mp4'), 3 * MIB + 12_345);
    await drop(join(files, 'alone.mp4'));
    await untilTray('1 uploaded');
    await page.mouse.move(300, 200);
    await untilHolds(
      page,
      () => document.querySelector('[aria-label="Show the list"][aria-expanded="false"]') !== null,
    );
    await press(page, 'button', 'Show the list');
    await (await byRole(page, 'link', 'Posts')).click();
    await press(page, 'link', 'Show in folder');
    await untilHolds(page, (path) => location.pathname === path, `/folders/${folder}`);
  });

  test('imports are shown until they end, and a failed one shows its URL and can be retried in the same row', async () => {
    // The previous test has left the page in a folder.
    const folder = new URL(page.url()).pathname.split('/')[2] ?? '';
    await press(page, 'button', 'Clear finished');
    const rest = gate();
    const slow = origin.page('slow.mp4', serveGated(mp4(20), 4500, rest));
    const importFrom = async (url: string): Promise<void> => {
      await press(page, 'button', 'Import from URL');
      await fill(page, 'URL', url);
      await press(page, 'button', 'Import');
    };
    await importFrom('127.0.0.1/picture.png');
    await untilSays(page, 'The url field must be a valid http or https URL.', '[role="dialog"]');
    await page.keyboard.press('Escape');
    await untilHolds(page, () => document.querySelector('[role="dialog"]') === null);
    await importFrom(slow.url);
    await until('the import is shown', async () => (await row('slow.mp4'))?.says.includes('Importing') ?? false);
    rest.open();
    await until('the import has ended', async () => (await row('slow.mp4')) === undefined);
    expect(await namesIn(folder)).toContain('slow.mp4');

    let isThere = false;
    const { url } = origin.page('late.mp4', (exchange) => (isThere ? serve(mp4(20)) : status(404))(exchange));
    await importFrom(url);
    await untilTray('Failed');
    await untilTray(url);
    isThere = true;
    await press(page, 'button', 'Retry');
    await untilHolds(page, (selector) => document.querySelector(selector) === null, tray);
    const { json } = await world.call('GET /workspaces/{workspace}/media_contents?search=late');
    expect((at(json, 'data') as { status: string }[]).map(({ status }) => status)).toEqual(['active']);
    await page.close();
  });
});
