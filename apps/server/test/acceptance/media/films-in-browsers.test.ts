import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'puppeteer-core';
import { type Library, storages } from '../presign/support/storages.ts';
import { installedBrowsers } from '../support/browsers.ts';
import * as fixtures from '../support/fixtures.ts';
import { sized } from '../support/long.ts';
import { file } from '../support/multipart.ts';
import { until } from '../support/until.ts';

setDefaultTimeout(60_000);

const browsers = installedBrowsers("a film's link in a tab");

/** The film that the tab shows, as the browser sees it. Sandboxed pages run no scripts; the driver's own are not theirs. */
const filmIn = (page: Page) =>
  page.evaluate(() => {
    const video = document.querySelector('video');
    if (!video) return null;
    const { currentTime, readyState, videoWidth, paused, error } = video;
    return { currentTime, readyState, videoWidth, paused, error: error?.message ?? null };
  });

afterAll(async () => {
  await Promise.all(browsers.map((browser) => browser.close()));
});

// In its ordinary form from files alone: a bucket sends the same bytes, and another server for them takes its time.
for (const storage of sized(storages.slice(0, 1), storages)) {
  describe.skipIf(browsers.length === 0)(`A film's link opened in a tab, from ${storage.name}`, () => {
    let library: Library;
    const films: Record<string, string> = {};

    beforeAll(async () => {
      library = await storage.open();
      for (const [name, bytes] of [
        ['with its index at the end', fixtures.mp4()],
        ['with its index in front', fixtures.faststartMp4()],
      ] as const)
        films[name] = (await library.world.storeOne(file('film.mp4', bytes))).link;
    });
    afterAll(() => library.close());

    for (const { name, openTab } of browsers) {
      test(`plays in ${name}`, async () => {
        for (const link of Object.values(films)) {
          const page = await openTab();
          const complaints: string[] = [];
          page.on('console', (message) => complaints.push(message.text()));
          await page.goto(link);
          await until('the film is there', async () => ((await filmIn(page))?.readyState ?? 0) >= 2, 20_000);
          // Without scripts a page may not begin by itself in Chromium: the person presses play.
          if ((await filmIn(page))?.paused) await page.keyboard.press('Space');
          await until('the film has played', async () => ((await filmIn(page))?.currentTime ?? 0) > 0, 20_000);
          expect(await filmIn(page)).toMatchObject({ videoWidth: 64, error: null });
          expect(complaints).toEqual([]);
          await page.close();
        }
      });
    }

    // A bucket serves its objects by itself.
    if (storage.redirects) return;

    test('may run no script, and load nothing but itself', async () => {
      for (const link of Object.values(films)) {
        const policy = (await fetch(link, { method: 'HEAD' })).headers.get('content-security-policy');
        const directives = new Map((policy ?? '').split('; ').map((one) => [one.split(' ')[0], one] as const));
        expect([...directives.keys()].sort()).toEqual(['default-src', 'media-src', 'sandbox', 'style-src']);
        expect(directives.get('default-src')).toBe("default-src 'none'");
        expect(directives.get('media-src')).toBe("media-src 'self'");
        expect(directives.get('sandbox')).not.toMatch(/allow-(?!same-origin\b)/);
      }
    });
  });
}
