import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { uploadStorages } from '../presign/support/every-storage.ts';
import type { Library } from '../presign/support/storages.ts';
import { show } from '../presign/support/uploads.ts';
import { installedBrowsers } from '../support/browsers.ts';
import * as fixtures from '../support/fixtures.ts';
import { sized } from '../support/long.ts';
import { arrayAt, at } from '../support/reply.ts';
import { freePort, removeFolder, scratchFolder } from '../support/server.ts';
import { installPackages } from './support/install.ts';
import { bundle, ScriptedPage } from './support/page.ts';

/** Major versions of `@uppy/aws-s3` and `@uppy/core`. */
const versions = [4, 5, 6] as const;
const all = installedBrowsers('an upload by Uppy');
// The short form uses only one browser. What each browser allows a page of another origin to send and read is tested by
// http/browsers.test.ts.
const browsers = sized(all.slice(0, 1), all);

const files = { 'beach.jpg': fixtures.jpeg(), 'film.mp4': fixtures.mp4() };
const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex');

const scripts = new Map<number, string>();

async function bundleVersion(version: number): Promise<void> {
  const folder = scratchFolder();
  try {
    await installPackages(join(import.meta.dir, 'uppy', String(version)), folder);
    scripts.set(version, await bundle(join(import.meta.dir, 'uppy/page.mjs'), folder));
  } finally {
    removeFolder(folder);
  }
}

beforeAll(async () => {
  await Promise.all(versions.map(bundleVersion));
});
afterAll(async () => {
  await Promise.all(browsers.map((browser) => browser.close()));
});

for (const storage of uploadStorages) {
  describe.skipIf(browsers.length === 0)(`Uppy's aws-s3 across origins (${storage.name})`, () => {
    let library: Library;
    let folder: string;
    let page: ScriptedPage;

    beforeAll(async () => {
      const port = await freePort();
      page = new ScriptedPage(port, files);
      library = await storage.open({ CORS_ORIGINS: `http://127.0.0.1:${port}` });
      const { world } = library;
      // A bucket has a CORS rule of its own, which the operator creates with this command.
      if (!storage.receives) await world.run(['storage', 'setup']);
      folder = await world.folder('Uppy');
    });
    afterAll(async () => {
      await page.close();
      await library.close();
    });

    for (const { name, openTab } of browsers) {
      test.each(versions)(`finishes an upload in ${name} with version %i of Uppy`, async (version) => {
        const { server, tokens, ids } = library.world;
        const settings = { url: server.url, token: tokens.all, workspace: ids.workspace, folder, version };
        const { result, complaints } = await page.visit(await openTab(), scripts.get(version) ?? '', settings);
        expect({ thrown: at(result, 'thrown'), failed: at(result, 'failed'), complaints }).toEqual({
          thrown: undefined,
          failed: [],
          complaints: [],
        });
        // Version 6 of Uppy removes the quotes from ETags, and reports no ETag for a file that is sent in a single PUT.
        const tags = arrayAt(result, 'tags').map((tag) => String(tag).replaceAll('"', ''));
        expect(version < 6 ? tags : []).toEqual(version < 6 ? Object.values(files).map(md5) : []);
        expect(Number(at(result, 'progress'))).toBeGreaterThan(0);
        const confirmed = arrayAt(result, 'confirmed').map(String);
        expect(confirmed).toHaveLength(2);
        for (const id of confirmed) {
          const item = await show(library.world, { id });
          expect(item).toMatchObject({ status: 'active', label: `By Uppy ${version}`, folder_id: folder });
        }
      });
    }
  });
}
