import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'puppeteer-core';
import { type Library, onFiles } from '../presign/support/storages.ts';
import { installedBrowsers } from '../support/browsers.ts';
import * as fixtures from '../support/fixtures.ts';
import { sized } from '../support/long.ts';
import { file } from '../support/multipart.ts';
import type { MediaItem } from '../support/shapes.ts';
import { onDisk } from '../support/storage.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';

const browsers = installedBrowsers("a video's link in a tab, and what a page of another origin can send and read");

/**
 * The state of the video in the tab. The page is sandboxed, so that it can't run scripts, but the browser driver can
 * run this function in it.
 */
const videoIn = (page: Page) =>
  page.evaluate(() => {
    const video = document.querySelector('video');
    if (!video) return null;
    const { currentTime, readyState, videoWidth, paused, error } = video;
    return { currentTime, readyState, videoWidth, paused, error: error?.message ?? null };
  });

afterAll(async () => {
  await Promise.all(browsers.map((browser) => browser.close()));
});

// By default only storage in a folder is tested: a bucket sends the same bytes, and an S3 server takes a long time to
// start.
const storages = sized(false, true) ? (await import('../presign/support/every-storage.ts')).storages : [onFiles];

for (const storage of storages) {
  describe.skipIf(browsers.length === 0)(`the link of a video opened in a browser tab (${storage.name})`, () => {
    let library: Library;
    const videos: Record<string, string> = {};

    beforeAll(async () => {
      library = await storage.open();
      for (const [name, bytes] of [
        ['with its index at the end', fixtures.mp4()],
        ['with its index in front', fixtures.faststartMp4()],
      ] as const)
        videos[name] = (await library.world.storeOne(file('film.mp4', bytes))).link;
    });
    afterAll(() => library.close());

    // By default one browser is enough: both get the same response headers, and Firefox takes a long time to play its
    // first video.
    for (const { name, openTab } of sized(browsers.slice(0, 1), browsers)) {
      test(`plays in ${name}`, async () => {
        for (const link of Object.values(videos)) {
          const page = await openTab();
          const complaints: string[] = [];
          page.on('console', (message) => complaints.push(message.text()));
          await page.goto(link);
          await until('the video has loaded', async () => ((await videoIn(page))?.readyState ?? 0) >= 2);
          // Chromium doesn't start playback in a page without scripts until the user presses play.
          if ((await videoIn(page))?.paused) await page.keyboard.press('Space');
          await until('the video has played', async () => ((await videoIn(page))?.currentTime ?? 0) > 0);
          expect(await videoIn(page)).toMatchObject({ videoWidth: 64, error: null });
          expect(complaints).toEqual([]);
          await page.close();
        }
      });
    }

    // A bucket serves its objects itself, so they don't have the service's headers.
    if (storage.redirects) return;

    test('allows no scripts, and loads nothing but itself', async () => {
      for (const link of Object.values(videos)) {
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

describe.skipIf(browsers.length === 0)('a page of an origin in CORS_ORIGINS', () => {
  /** A page whose content doesn't matter, because CORS only depends on the page's origin. */
  const page = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () =>
      new Response('<!doctype html><link rel="icon" href="data:,">', { headers: { 'Content-Type': 'text/html' } }),
  });
  const read =
    'ETag, Content-Range, Accept-Ranges, Content-Length, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, X-Request-Id';
  let world: World;
  let item: MediaItem;

  beforeAll(async () => {
    world = await World.openAlone({ ...onDisk, CORS_ORIGINS: page.url.origin, RATE_LIMIT_PER_MINUTE: '10000' });
    item = await world.storeOne(file('beach.jpg', fixtures.jpeg()));
  });
  afterAll(async () => {
    await page.stop(true);
    await world.close();
  });

  // By default one browser is enough: both follow the standard, and starting Firefox takes as long as ten tests.
  for (const { name, openTab } of sized(browsers.slice(0, 1), browsers))
    test(`can send conditional, range and trace headers and read response headers in ${name}`, async () => {
      const tab = await openTab();
      await tab.goto(String(page.url));
      const answers = await tab.evaluate(
        async (service, link, token, workspace, read) => {
          const names = read.split(', ');
          const shown = async (url: string, headers: Record<string, string>) => {
            const response = await fetch(url, { headers, cache: 'no-store' });
            const bytes = (await response.arrayBuffer()).byteLength;
            const readable = names.filter((name) => response.headers.has(name));
            return { status: response.status, bytes, readable, etag: response.headers.get('etag') };
          };
          const headers = {
            Authorization: `Bearer ${token}`,
            traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
            tracestate: 'a=b',
            baggage: 'a=b',
            'X-Request-Id': 'page-1',
            'Idempotency-Key': 'once',
            'Last-Event-ID': '1',
            'Tus-Resumable': '1.0.0',
            'If-Match': '*',
          };
          const whole = await shown(link, {});
          return {
            list: await shown(`${service}/v1/workspaces/${workspace}/media_contents`, headers),
            trpc: await shown(`${service}/trpc/media.list?batch=1&input={"0":{"workspace":"${workspace}"}}`, {
              ...headers,
              'trpc-accept': 'application/jsonl',
            }),
            part: await shown(link, { Range: 'bytes=2-9' }),
            same: await shown(link, { 'If-None-Match': whole.etag ?? '' }),
          };
        },
        world.server.url,
        item.link,
        world.tokens.all ?? '',
        String(world.ids.workspace),
        read,
      );
      expect(answers.list.status).toBe(200);
      const limits = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
      expect(answers.list.readable).toEqual(expect.arrayContaining([...limits, 'X-Request-Id', 'Content-Length']));
      expect(answers.trpc.status).toBe(200);
      expect(answers.part).toMatchObject({ status: 206, bytes: 8 });
      expect(answers.part.readable).toEqual(
        expect.arrayContaining(['ETag', 'Content-Range', 'Accept-Ranges', 'Content-Length', 'X-Request-Id']),
      );
      expect(answers.same).toMatchObject({ status: 304, bytes: 0 });
      await tab.close();
    });
});
