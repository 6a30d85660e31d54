import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { copyFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Library, uploadStorages } from '../presign/support/storages.ts';
import { show } from '../presign/support/uploads.ts';
import { installedBrowsers } from '../support/browsers.ts';
import * as fixtures from '../support/fixtures.ts';
import { sized } from '../support/long.ts';
import { arrayAt, at, stringAt } from '../support/reply.ts';
import { freePort, removeFolder, scratchFolder } from '../support/server.ts';
import { within } from '../support/until.ts';
import { installed } from './support/install.ts';

setDefaultTimeout(120_000);

/** Of `@uppy/aws-s3` and `@uppy/core`. */
const versions = [4, 5, 6] as const;
const browsers = installedBrowsers('an upload by Uppy');

const files = { 'beach.jpg': fixtures.jpeg(), 'film.mp4': fixtures.mp4() };
const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex');

/** The page's script with Uppy in it, as a bundler puts them together for browsers. */
async function bundle(version: number): Promise<string> {
  const folder = scratchFolder();
  try {
    const entry = join(folder, 'page.mjs');
    copyFileSync(join(import.meta.dir, 'uppy/page.mjs'), entry);
    symlinkSync(
      join(await installed(join(import.meta.dir, 'uppy', String(version))), 'node_modules'),
      join(folder, 'node_modules'),
    );
    const { outputs } = await Bun.build({ entrypoints: [entry], target: 'browser', format: 'esm' });
    const [script] = outputs;
    if (!script) throw new Error('The page has no script.');
    return await script.text();
  } finally {
    removeFolder(folder);
  }
}

afterAll(async () => {
  await Promise.all(browsers.map((browser) => browser.close()));
});

for (const storage of uploadStorages) {
  describe.skipIf(browsers.length === 0)(`Uppy's aws-s3 in a page of another origin, over ${storage.name}`, () => {
    let library: Library;
    let folder: string;
    let page: Bun.Server<undefined>;
    let version = 0;
    let result = Promise.withResolvers<unknown>();

    beforeAll(async () => {
      const port = await freePort();
      library = await storage.open({ CORS_ORIGINS: `http://127.0.0.1:${port}` });
      const { world } = library;
      // A bucket has a CORS rule of its own, which the operator applies.
      if (!storage.receives) await world.run(['storage', 'setup']);
      const made = await world.call('POST /workspaces/{workspace}/media_library/folders', { json: { name: 'Uppy' } });
      folder = stringAt(made.json, 'data', 'id');
      const scripts = new Map(await Promise.all(versions.map(async (each) => [each, await bundle(each)] as const)));
      page = Bun.serve({
        port,
        hostname: '127.0.0.1',
        routes: {
          '/': new Response(
            '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>',
            {
              headers: { 'Content-Type': 'text/html' },
            },
          ),
          '/page.js': () =>
            new Response(scripts.get(version as (typeof versions)[number]) ?? '', {
              headers: { 'Content-Type': 'text/javascript' },
            }),
          '/beach.jpg': () => new Response(Buffer.from(files['beach.jpg'])),
          '/film.mp4': () => new Response(Buffer.from(files['film.mp4'])),
          '/settings': () =>
            Response.json({
              url: world.server.url,
              token: world.tokens.all,
              workspace: world.ids.workspace,
              folder,
              version,
            }),
          '/result': async (request) => {
            result.resolve(await request.json());
            return new Response();
          },
        },
        fetch: () => new Response(null, { status: 404 }),
      });
    });
    afterAll(async () => {
      await page.stop(true);
      await library.close();
    });

    // The browsers differ where they send to another origin, which the first one shows for a bucket too.
    for (const { name, openTab } of storage.receives ? browsers : sized(browsers.slice(0, 1), browsers)) {
      for (const each of versions) {
        test(`version ${each} finishes in ${name}, with the ETag that it waits for`, async () => {
          version = each;
          result = Promise.withResolvers();
          const tab = await openTab();
          const complaints: string[] = [];
          tab.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
          await tab.goto(String(page.url));
          const told = await within('the page says what came of it', result.promise, 60_000);
          await tab.close();
          expect({ thrown: at(told, 'thrown'), failed: at(told, 'failed'), complaints }).toEqual({
            thrown: undefined,
            failed: [],
            complaints: [],
          });
          // Version 6 takes the quotes off, and keeps the tag of a single PUT to itself.
          const tags = arrayAt(told, 'tags').map((tag) => String(tag).replaceAll('"', ''));
          expect(each < 6 ? tags : []).toEqual(each < 6 ? Object.values(files).map(md5) : []);
          expect(Number(at(told, 'progress'))).toBeGreaterThan(0);
          const ids = arrayAt(told, 'confirmed').map(String);
          expect(ids).toHaveLength(2);
          for (const id of ids) {
            const item = await show(library.world, { id });
            expect(item).toMatchObject({ status: 'active', label: `By Uppy ${each}`, folder_id: folder });
          }
        });
      }
    }
  });
}
