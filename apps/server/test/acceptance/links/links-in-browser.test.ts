import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { installedBrowsers } from '../support/browsers.ts';
import { jpeg, mp4, png } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { byRole, openLibrary, press, showDetails, untilSays } from '../web/support/page.ts';

const [browser] = installedBrowsers('a library with signed links in a browser');

describe.skipIf(!browser)('a library with signed links in a browser', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.open();
    await world.command(['workspace', 'update', world.ids.workspace ?? '', '--links', 'signed']);
    await world.store(file('dusk.png', png()), file('film.mp4', mp4(4)));
    world.ids.photo = (await world.storeOne(file('beach.jpg', jpeg()))).id;
  });

  afterAll(async () => {
    await browser?.close();
    await world.close();
  });

  test('shows images with links signed in one call, and copies a signed link', async () => {
    if (!browser) return;
    const calls: string[] = [];
    const refused: string[] = [];
    const page = await openLibrary(browser, world, '/', {
      prepare: (opened) => {
        opened.on('request', (request) => calls.push(new URL(request.url()).pathname));
        opened.on('response', (response) => {
          if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
        });
      },
    });
    const shown = () =>
      page.$$eval('[role="row"] img', (all) =>
        all.map(
          (image) => (image as HTMLImageElement).naturalWidth > 0 && new URL((image as HTMLImageElement).src).search,
        ),
      );
    await until('three images are shown', async () => (await shown()).filter(Boolean).length === 3);
    for (const query of await shown()) expect(query).toMatch(/^\?expires=\d+&signature=[\w-]{43}$/);
    expect(calls.filter((path) => path.endsWith('/links.createMany'))).toHaveLength(1);

    await page.goto(`${world.server.url}/media/${world.ids.photo}`);
    await showDetails(page, 'beach.jpg');
    await page.evaluate(() => {
      Object.defineProperty(navigator, 'clipboard', {
        value: { writeText: async (text: string) => Object.assign(globalThis, { copied: text }) },
      });
    });
    await press(page, 'button', 'Copy link');
    await untilSays(page, 'Link copied. It works for 7 days.', 'body');
    const copied = await page.evaluate(() => (globalThis as unknown as { copied: string }).copied);
    const response = await fetch(copied);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    const download = await byRole(page, 'link', 'Download');
    const saved = await fetch(await download.evaluate((anchor) => (anchor as unknown as HTMLAnchorElement).href));
    expect([saved.status, saved.headers.get('content-disposition')]).toEqual([
      200,
      expect.stringContaining('filename="beach.jpg"'),
    ]);
    expect(refused).toEqual([]);
  });
});
