import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bigMp4 } from '@postshelf/testing/fixtures';
import type { ElementHandle, Page } from 'puppeteer-core';
import { installedBrowsers } from '../support/browsers.ts';
import { jpeg, mp4, png } from '../support/fixtures.ts';
import { field, file } from '../support/multipart.ts';
import { at } from '../support/reply.ts';
import { run } from '../support/run.ts';
import { freePort, removeFolder, scratchFolder } from '../support/server.ts';
import { onDisk } from '../support/storage.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { seriousFindings } from '../web/support/axe.ts';
import { byRole, press } from '../web/support/page.ts';
import { HostPage } from './support/host-page.ts';

const repository = resolve(import.meta.dir, '../../../../..');
const [browser] = installedBrowsers('the picker in a page of another origin');

describe.skipIf(!browser)('the picker across origins', () => {
  let world: World;
  let folder: string;
  let host: HostPage;
  let page: Page;

  beforeAll(async () => {
    folder = scratchFolder();
    const port = await freePort();
    [world] = await Promise.all([
      World.open({ ...onDisk, CORS_ORIGINS: `http://127.0.0.1:${port}`, IMPORT_ALLOWED_NETWORKS: '127.0.0.1/32' }),
      run([process.execPath, join(repository, 'packages/client/test/support/install.mjs'), 'elements', folder], {
        cwd: repository,
        env: { ...process.env },
      }),
    ]);
    const { id } = await world.storeOne(file('dawn.jpg', jpeg()));
    await world.call(`PATCH /media_contents/${id}`, { json: { alt_text: 'The sun rises' } });
    await world.store(file('dusk.png', png()), file('film.mp4', mp4(4)));
    await world.token('picker', '{workspace}', [
      '--scope',
      'media:read',
      '--scope',
      'media:write',
      '--scope',
      'folders:read',
      '--expires-in',
      '15m',
    ]);
    host = new HostPage(port, join(folder, 'node_modules/@postshelf/elements/dist'), world.server.url, {
      workspace: world.ids.workspace ?? '',
      // The first token is invalid, like one that has expired during a break.
      tokens: [`${world.tokens.picker}x`, world.tokens.picker ?? ''],
    });
  });

  afterAll(async () => {
    await browser?.close();
    await host.close();
    removeFolder(folder);
    await world.close();
  });

  const rows = (): Promise<string[]> =>
    page.$$eval('pierce/[role="row"]', (all) => all.map((row) => row.getAttribute('aria-label') ?? ''));

  const untilRows = (names: readonly string[]): Promise<void> =>
    until(`the rows are ${names.join(', ')}`, async () => (await rows()).sort().join() === names.join());

  const untilSays = (text: string, selector: string): Promise<void> =>
    until(`${selector} says ${text}`, async () => {
      const said = await page.$$eval(`pierce/${selector}`, (all) => all.map(({ textContent }) => textContent));
      return said.includes(text);
    });

  /** Returns what the page has recorded until now. */
  const readRecord = () =>
    page.evaluate(() => {
      const { tokens, picked, events, violations } = globalThis.record;
      return {
        tokens,
        picked,
        events,
        violations,
        timers: globalThis.record.timers.size,
        urls: globalThis.record.objectUrls.size,
      };
    });

  const pickFiles = async (...paths: readonly string[]): Promise<void> => {
    const chooser = (await page.$('pierce/input[type="file"]')) as ElementHandle<HTMLInputElement>;
    await chooser.uploadFile(...paths);
  };

  test('requests a new token when one has expired, and emits items picked with the keyboard', async () => {
    page = await (browser as NonNullable<typeof browser>).openTab();
    await page.goto(host.url);
    await byRole(page, 'grid', 'Media');
    await untilRows(['dawn.jpg', 'dusk.png', 'film.mp4']);
    expect((await readRecord()).tokens).toBe(2);
    expect(await page.$eval('pierce/.picker-frame', (frame) => (frame as HTMLElement).lang)).toBe('en');
    expect(await seriousFindings(page)).toEqual([]);

    await (await byRole(page, 'searchbox', 'Search media')).type('da');
    await untilRows(['dawn.jpg']);
    for (const key of ['Tab', 'Tab', 'Tab', 'Tab', 'Enter'] as const) await page.keyboard.press(key);
    await until('an item is picked', async () => (await readRecord()).picked.length === 1);
    const { id, url, previews, ...rest } = (await readRecord()).picked[0]?.[0] ?? {};
    expect(rest).toEqual({
      ...{ name: 'dawn.jpg', kind: 'image', type: 'image/jpeg', altText: 'The sun rises', duration: null },
      ...{ size: jpeg().length, width: expect.any(Number), height: expect.any(Number) },
    });
    expect((await fetch(String(url))).headers.get('content-type')).toBe('image/jpeg');
    expect((await readRecord()).violations).toEqual([]);
  });

  test('shows items that others add, and hides items that others delete', async () => {
    const { id } = await world.storeOne(file('data.png', png()));
    await untilRows(['data.png', 'dawn.jpg']);
    await world.call(`DELETE /media_contents/${id}`);
    await untilRows(['dawn.jpg']);
  });

  test("picks several items and a new upload, refuses unwanted types, and uses the page's colours", async () => {
    await page.$eval('postshelf-picker', (picker) => {
      picker.toggleAttribute('multiple', true);
      picker.setAttribute('type', 'image');
    });
    const search = await byRole(page, 'searchbox', 'Search media');
    await search.click({ count: 3 });
    await search.press('Backspace');
    await untilRows(['dawn.jpg', 'dusk.png']);
    const paths = [join(folder, 'new.png'), join(folder, 'film.mp4')] as const;
    writeFileSync(paths[0], png());
    writeFileSync(paths[1], mp4(1));
    await pickFiles(...paths);
    await untilRows(['dawn.jpg', 'dusk.png', 'new.png']);
    await untilSays('Only images are accepted here.', '.upload-problem');
    await (await byRole(page, 'row', 'dusk.png')).click();
    await untilSays('2 selected', '.picker-count');
    const colour = () => page.$eval('pierce/.button-primary', (button) => getComputedStyle(button).backgroundColor);
    await page.$eval('postshelf-picker', (picker) => {
      (picker as HTMLElement).style.setProperty('--postshelf-accent', 'rgb(1, 2, 3)');
    });
    expect(await colour()).toBe('rgb(1, 2, 3)');
    await press(page, 'button', 'Select');
    await until('two are picked', async () => (await readRecord()).picked.length === 2);
    const [, several] = (await readRecord()).picked;
    expect(several?.map((item) => item.name)).toEqual(['new.png', 'dusk.png']);
  });

  test('names CORS_ORIGINS in the console if the service does not allow the page', async () => {
    const other = new HostPage(
      await freePort(),
      join(folder, 'node_modules/@postshelf/elements/dist'),
      world.server.url,
      { workspace: world.ids.workspace ?? '', tokens: [world.tokens.picker ?? ''] },
    );
    const tab = await (browser as NonNullable<typeof browser>).openTab();
    const said: string[] = [];
    tab.on('console', (message) => said.push(message.text()));
    await tab.goto(other.url);
    const origin = new URL(other.url).origin;
    const hints = () => said.filter((text) => text.includes(`add ${origin} to its CORS_ORIGINS`));
    await until('the hint is logged', async () => hints().length > 0);
    expect(hints()).toHaveLength(1);
    await tab.close();
    await other.close();
  });

  test('ends uploads and timers when it is removed, and restarts when it is inserted again', async () => {
    await page.emulateNetworkConditions({ upload: 50_000, download: 1_000_000, latency: 0 });
    const path = join(folder, 'long.mp4');
    writeFileSync(path, Buffer.concat([mp4(1), Buffer.alloc(5_000_000)]));
    const isUpload = (url: string): boolean => url.endsWith('/media_contents');
    const ended = new Promise<string>((resolve) => {
      page.on('requestfailed', (request) => isUpload(request.url()) && resolve(request.failure()?.errorText ?? ''));
    });
    await page.$eval('postshelf-picker', (picker) => picker.removeAttribute('type'));
    await untilRows(['dawn.jpg', 'dusk.png', 'film.mp4', 'new.png']);
    const [begun] = await Promise.all([
      page.waitForRequest((request) => request.method() === 'POST' && isUpload(request.url())),
      pickFiles(path),
    ]);
    expect(begun.url()).toStartWith(world.server.url);
    expect((await readRecord()).timers).toBeGreaterThan(0);
    await page.$eval('postshelf-picker', (picker) => {
      globalThis.removed = picker;
      picker.remove();
    });
    expect(await ended).toBe('net::ERR_ABORTED');
    await until('no timer runs', async () => (await readRecord()).timers === 0);
    expect(await page.evaluate(() => globalThis.removed.shadowRoot?.childElementCount)).toBe(0);
    expect((await readRecord()).urls).toBe(0);

    await page.emulateNetworkConditions(null);
    await page.evaluate(() => document.body.append(globalThis.removed));
    await untilRows(['dawn.jpg', 'dusk.png', 'film.mp4', 'new.png']);
    expect((await readRecord()).violations).toEqual([]);
  });

  test('pauses and resumes a large upload, and deletes it when it is cancelled', async () => {
    const path = join(folder, 'large.mp4');
    await bigMp4(path, 21 * 2 ** 20);
    const offsets: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PATCH') offsets.push(request.headers()['upload-offset']);
    });
    const slowly = { upload: 8 * 2 ** 20, download: 1_000_000, latency: 0 };
    const paused = async (): Promise<void> => {
      const percent = () => page.$eval('pierce/[role="progressbar"]', (bar) => Number(bar.ariaValueNow));
      await until('some is sent', async () => (await percent().catch(() => 0)) >= 20);
      await press(page, 'button', 'Pause');
      await untilSays('Paused', '.upload-state');
    };
    await page.emulateNetworkConditions(slowly);
    await pickFiles(path);
    await paused();
    const temporary = async () => {
      const { json } = await world.call('GET /workspaces/{workspace}/media_contents?status=temporary');
      return at(json, 'data') as readonly unknown[];
    };
    expect(await temporary()).toHaveLength(1);
    await press(page, 'button', 'Cancel upload of large.mp4');
    await until('it is cancelled', async () => (await temporary()).length === 0);
    await press(page, 'button', 'Retry');
    // Until the new upload sends its first bytes, the progress bar still shows the previous upload.
    await Bun.sleep(700);
    await paused();
    await page.emulateNetworkConditions(null);
    await press(page, 'button', 'Resume');
    await untilRows(['dawn.jpg', 'dusk.png', 'film.mp4', 'large.mp4', 'new.png']);
    expect([offsets.length, offsets[0], offsets[1], Number(offsets[2]) > 0]).toEqual([3, '0', '0', true]);
    expect((await readRecord()).violations).toEqual([]);
    await page.close();
    const { json } = await world.call('GET /workspaces/{workspace}/media_contents?search=large');
    await world.call(`DELETE /media_contents/${at(json, 'data', 0, 'id')}`);
  });

  test("browses folders, applies the page's limits and messages, and imports by URL", async () => {
    const trip = await world.folder('Trip');
    await world.storeOne(file('far.png', png()), field('folder_id', trip));
    const { json } = await world.call('GET /workspaces/{workspace}/media_contents?search=dusk');
    page = await (browser as NonNullable<typeof browser>).openTab();
    await page.setViewport({ width: 390, height: 800 });
    await page.goto(host.url);
    await page.$eval(
      'postshelf-picker',
      (picker, selected) => {
        for (const [name, value] of Object.entries({ multiple: '', max: '2', accept: 'image/png', selected })) {
          picker.setAttribute(name, value);
        }
        const messages = {
          select: 'Wählen',
          tooMany: 'Höchstens {max}.',
          wrongType: 'Nur {types}.',
          selected: '{count} gewählt',
        };
        Object.assign(picker, { messages, lang: 'de' });
      },
      String(at(json, 'data', 0, 'id')),
    );
    await untilRows(['dawn.jpg', 'dusk.png', 'far.png', 'new.png']);
    await untilSays('1 gewählt', '.picker-count');
    expect(await page.$eval('pierce/.picker-frame', (frame) => (frame as HTMLElement).lang)).toBe('de');
    await (await byRole(page, 'row', 'dawn.jpg')).click();
    await untilSays('Nur PNG.', '.picker-problem');
    await (await byRole(page, 'combobox', 'Folder')).select(trip);
    await untilRows(['far.png']);
    expect(await seriousFindings(page)).toEqual([]);
    await (await byRole(page, 'row', 'far.png')).click();
    await untilSays('2 gewählt', '.picker-count');
    await (await byRole(page, 'combobox', 'Folder')).select('');
    await (await byRole(page, 'row', 'new.png')).click();
    await untilSays('Höchstens 2.', '.picker-problem');
    await press(page, 'button', 'Wählen');
    await until('two are picked', async () => (await readRecord()).picked.length === 1);
    expect((await readRecord()).picked[0]?.map(({ name }) => name)).toEqual(['dusk.png', 'far.png']);

    await (await byRole(page, 'combobox', 'Folder')).select(trip);
    await untilRows(['far.png']);
    await (await byRole(page, 'row', 'far.png')).focus();
    await page.keyboard.down('Control');
    await page.keyboard.press('a');
    await page.keyboard.up('Control');
    await untilSays('1 gewählt', '.picker-count');
    await (await byRole(page, 'combobox', 'Folder')).select('');
    await untilRows(['dawn.jpg', 'dusk.png', 'far.png', 'new.png']);
    await untilSays('1 gewählt', '.picker-count');
    await press(page, 'button', 'Wählen');
    await until('all of the folder are picked', async () => (await readRecord()).picked.length === 2);
    expect((await readRecord()).picked[1]?.map(({ name }) => name)).toEqual(['far.png']);

    await press(page, 'button', 'Import from URL');
    await page.keyboard.type('http://10.0.0.1/a.png');
    await page.keyboard.press('Enter');
    await until('the error is emitted', async () => (await readRecord()).events.length === 1);
    expect((await readRecord()).events).toEqual([
      ['error', { message: expect.stringContaining('public'), status: 422 }],
    ]);
    const url = await byRole(page, 'textbox', 'URL');
    await url.click({ count: 3 });
    await url.type(`${host.url}sent.png`);
    const { promise, resolve: send } = Promise.withResolvers<void>();
    host.beforeSent = promise;
    await page.keyboard.press('Enter');
    await byRole(page, 'button', 'Importing');
    await url.click({ count: 3 });
    await url.type('https://next.example/a.png');
    send();
    host.beforeSent = null;
    await untilSays('1 gewählt', '.picker-count');
    expect(await url.evaluate((input) => (input as HTMLInputElement).value)).toBe('https://next.example/a.png');
    await press(page, 'button', 'Cancel');
    await untilSays('', '.picker-count');
    expect((await readRecord()).events.at(-1)).toEqual(['cancel', null]);
    for (const search of ['sent', 'far']) {
      const found = await world.call(`GET /workspaces/{workspace}/media_contents?search=${search}`);
      await world.call(`DELETE /media_contents/${at(found.json, 'data', 0, 'id')}`);
    }
    await page.close();
  });

  test('shows all media again when somebody deletes the folder that is shown', async () => {
    const gone = await world.folder('Gone');
    page = await (browser as NonNullable<typeof browser>).openTab();
    await page.goto(host.url);
    await (await byRole(page, 'combobox', 'Folder')).select(gone);
    await untilRows([]);
    await world.call(`DELETE /media_library/folders/${gone}`);
    await world.storeOne(file('later.png', png()));
    await untilRows(['dawn.jpg', 'dusk.png', 'film.mp4', 'later.png', 'new.png']);
    expect(await (await byRole(page, 'combobox', 'Folder')).evaluate((one) => (one as HTMLSelectElement).value)).toBe(
      '',
    );
    const { json } = await world.call('GET /workspaces/{workspace}/media_contents?search=later');
    await world.call(`DELETE /media_contents/${at(json, 'data', 0, 'id')}`);
    await page.close();
  });

  test('requests the list less often than it uploads, and says nothing of an import that its removal aborts', async () => {
    page = await (browser as NonNullable<typeof browser>).openTab();
    await page.goto(host.url);
    await untilRows(['dawn.jpg', 'dusk.png', 'film.mp4', 'new.png']);
    const names = Array.from({ length: 20 }, (_, index) => `many-${index}.png`);
    for (const name of names) writeFileSync(join(folder, name), png());
    let lists = 0;
    page.on('request', (request) => {
      if (request.url().includes('media.list')) lists += 1;
    });
    await pickFiles(...names.map((name) => join(folder, name)));
    await untilSays('20 uploaded', '.picker-uploads [role="status"]');
    expect(lists).toBeLessThan(names.length);
    const { promise, resolve: send } = Promise.withResolvers<void>();
    host.beforeSent = promise;
    await press(page, 'button', 'Import from URL');
    await page.keyboard.type(`${host.url}sent.png`);
    await page.keyboard.press('Enter');
    await byRole(page, 'button', 'Importing');
    const events = await page.evaluate(async () => {
      document.querySelector('postshelf-picker')?.remove();
      await new Promise((resolve) => setTimeout(resolve, 300));
      return globalThis.record.events;
    });
    send();
    host.beforeSent = null;
    expect(events).toEqual([]);
    await page.close();
    const { json } = await world.call('GET /workspaces/{workspace}/media_contents?search=many&per_page=100');
    for (const item of at(json, 'data') as readonly unknown[])
      await world.call(`DELETE /media_contents/${at(item, 'id')}`);
  });

  test('shows media of a workspace that signs its links, and emits their permanent, unsigned URLs', async () => {
    await world.command(['workspace', 'update', world.ids.workspace ?? '', '--links', 'signed']);
    page = await (browser as NonNullable<typeof browser>).openTab();
    await page.goto(host.url);
    await untilRows(['dawn.jpg', 'dusk.png', 'film.mp4', 'new.png']);
    const isShown = () =>
      page.$$eval('pierce/[role="row"] img', (all) =>
        all.every((image) => (image as HTMLImageElement).naturalWidth > 0),
      );
    await until('all images are shown', isShown);
    await (await byRole(page, 'row', 'dawn.jpg')).click({ count: 2 });
    await until('it is picked', async () => (await readRecord()).picked.length === 1);
    const { url, previews } = (await readRecord()).picked[0]?.[0] ?? {};
    const statusOf = async (address: unknown) => (await fetch(String(address))).status;
    const [preview] = previews as { url: string }[];
    expect([await statusOf(url), new URL(String(url)).search, await statusOf(preview?.url)]).toEqual([403, '', 200]);
    const { json } = await world.call('GET /workspaces/{workspace}/media_contents?search=dusk');
    await page.$eval(
      'postshelf-picker',
      (picker, id) => picker.setAttribute('selected', id),
      String(at(json, 'data', 0, 'id')),
    );
    await untilSays('1 selected', '.picker-count');
    await press(page, 'button', 'Select');
    await until('the preselected item is picked', async () => (await readRecord()).picked.length === 2);
    const { previews: signed } = (await readRecord()).picked[1]?.[0] ?? {};
    expect(await statusOf((signed as { url: string }[])[0]?.url)).toBe(200);
    await page.close();
  });
});
