// These tests open the library's pages with media in a bucket. The media are cross-origin, so the bucket's CORS rule
// and the page's Content-Security-Policy have to allow them.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sized } from '@postshelf/harness';
import { bigMp4 } from '@postshelf/testing/fixtures';
import { realS3 } from '@postshelf/testing/servers/s3';
import { bucketStorage, type Library } from '../presign/support/storages.ts';
import { installedBrowsers } from '../support/browsers.ts';
import { freePort, removeFolder, scratchFolder } from '../support/server.ts';
import { until } from '../support/until.ts';
import { byRole, openLibrary, press, untilSays } from './support/page.ts';

const MIB = 2 ** 20;

// Starting a store and two browsers takes too long for every run, so only long test runs do it.
const isTried = sized(false, true);
const s3 = isTried ? await realS3('the library in a browser over a bucket') : null;
const browsers = installedBrowsers('the library in a browser over a bucket');

describe.skipIf(!s3)('a bucket after storage setup', () => {
  let folder: string;
  let library: Library;

  beforeAll(async () => {
    if (!s3) return;
    folder = scratchFolder();
    const PORT = String(await freePort());
    const settings = { PORT, PUBLIC_URL: `http://127.0.0.1:${PORT}`, CORS_ORIGINS: undefined };
    library = await bucketStorage(s3, true).open(settings);
    await library.world.run(['storage', 'setup']);
    await bigMp4(join(folder, 'film.mp4'), 21 * MIB);
  });

  afterAll(async () => {
    await Promise.all(browsers.map((browser) => browser.close()));
    await library.close();
    removeFolder(folder);
  });

  test.each(browsers.map((browser) => [browser.name, browser] as const))(
    'accepts a video in pieces from %s, and plays it there',
    async (_, browser) => {
      const page = await openLibrary(browser, library.world, '/');
      const complaints: string[] = [];
      page.on('console', (message) => {
        if (/Content.Security.Policy|CORS|Cross-Origin/i.test(message.text())) complaints.push(message.text());
      });
      await byRole(page, 'navigation', 'Main');
      const [chooser] = await Promise.all([page.waitForFileChooser(), press(page, 'button', 'Upload')]);
      await chooser.accept([join(folder, 'film.mp4')]);
      await untilSays(page, '1 uploaded');
      const { json } = await library.world.call('GET /workspaces/{workspace}/media_contents?sort=-created_at');
      const [{ id = '' } = {}] = (json as { data: { id: string }[] }).data;
      await page.goto(`${library.world.server.url}/media/${id}`);
      await byRole(page, 'dialog', 'film.mp4');
      const played = await page.$eval('video', async (video) => {
        video.muted = true;
        await video.play();
        return video.videoWidth;
      });
      expect(played).toBe(160);
      // The redirect to the store makes the browser save the file instead of leaving the page for it.
      if (browser.name === 'Chromium') {
        const at = page.url();
        const session = await page.createCDPSession();
        await session.send('Browser.setDownloadBehavior', {
          behavior: 'allow',
          browserContextId: page.browserContext().id ?? '',
          downloadPath: folder,
        });
        await page.keyboard.press('i');
        rmSync(join(folder, 'film.mp4'));
        await press(page, 'link', 'Download');
        await until('the file is saved', async () => existsSync(join(folder, 'film.mp4')));
        expect(page.url()).toBe(at);
      }
      expect(complaints).toEqual([]);
      await page.close();
    },
  );
});
