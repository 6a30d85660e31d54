import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { bigMp4 } from '@postshelf/testing/fixtures';
import { isInstalled, limitedNginx, type RunningProxy, startProxy } from '../http/support/proxies.ts';
import { show } from '../presign/support/uploads.ts';
import { installedBrowsers } from '../support/browsers.ts';
import * as fixtures from '../support/fixtures.ts';
import { sized } from '../support/long.ts';
import { arrayAt, at } from '../support/reply.ts';
import { run } from '../support/run.ts';
import { freePort, removeFolder, scratchFolder } from '../support/server.ts';
import { onDisk } from '../support/storage.ts';
import { World } from '../support/world.ts';
import { press, untilSays } from '../web/support/page.ts';
import { installPackages } from './support/install.ts';
import { bundle, ScriptedPage } from './support/page.ts';

const MIB = 2 ** 20;

/** The maximum size of a request that nginx accepts. */
const megabytes = sized(60, 100);

const size = (megabytes + 1) * MIB;
const chunkSize = 50 * MIB;

const parts = Array.from({ length: Math.ceil(size / chunkSize) }, (_, nth) => nth * chunkSize);

const [browser] = installedBrowsers('an upload by Uppy through nginx');

describe.skipIf(!isInstalled(limitedNginx))(
  `an upload larger than the ${megabytes} MB that nginx accepts per request`,
  () => {
    let folder: string;
    let world: World;
    let proxy: RunningProxy;
    let pagePort: number;

    beforeAll(async () => {
      folder = scratchFolder();
      const [port, upstream] = [await freePort(), await freePort()];
      pagePort = await freePort();
      const CORS_ORIGINS = `http://127.0.0.1:${pagePort}`;
      const settings = {
        PORT: String(upstream),
        PUBLIC_URL: `http://127.0.0.1:${port}`,
        TRUST_PROXY: 'true',
        CORS_ORIGINS,
      };
      const packages = installPackages(join(import.meta.dir, 'tus'), folder);
      [world, proxy] = await Promise.all([
        World.openAlone({ ...onDisk, ...settings }),
        startProxy(limitedNginx, { port, upstream, megabytes }),
        packages,
      ]);
    });
    afterAll(async () => {
      await browser?.close();
      await proxy?.end();
      await world?.close();
      removeFolder(folder);
    });

    const settings = () => {
      const { PUBLIC_URL: url = '' } = world.server.settings;
      return { url, token: world.tokens.all, workspace: world.ids.workspace, size, chunkSize };
    };

    test.skipIf(!browser)('succeeds with Uppy', async () => {
      if (!browser) return;
      const { head, tail } = fixtures.bigMp4(size);
      const page = new ScriptedPage(pagePort, { head, tail });
      try {
        const [trip, script] = await Promise.all([
          world.folder('Trip'),
          bundle(join(import.meta.dir, 'tus/page.mjs'), folder),
        ]);
        const { result, complaints } = await page.visit(await browser.openTab(), script, {
          ...settings(),
          folder: trip,
        });
        expect({ thrown: at(result, 'thrown'), failed: at(result, 'failed'), complaints }).toEqual({
          thrown: undefined,
          failed: [],
          complaints: [],
        });
        const [id] = arrayAt(result, 'ids').map(String);
        const wanted = { status: 'active', name: 'film.mp4', label: 'By Uppy', folder_id: trip, size };
        expect(await show(world, { id: String(id) })).toMatchObject(wanted);
      } finally {
        await page.close();
      }
    });

    test.skipIf(!browser)('succeeds in the web interface', async () => {
      if (!browser) return;
      const path = join(folder, 'by library.mp4');
      await bigMp4(path, size);
      const page = await browser.openTab();
      const sent: string[] = [];
      page.on('response', (response) => sent.push(`${response.request().method()} ${response.status()}`));
      await page.goto(settings().url);
      await page.evaluate(async (token) => {
        const headers = { 'Content-Type': 'application/json' };
        await fetch('/v1/sessions', { method: 'POST', headers, body: JSON.stringify({ token }) });
      }, world.tokens.all);
      await page.reload();
      const [chooser] = await Promise.all([page.waitForFileChooser(), press(page, 'button', 'Upload')]);
      await chooser.accept([path]);
      await untilSays(page, '1 uploaded');
      expect(sent.filter((answer) => answer.startsWith('PATCH'))).toEqual([
        'PATCH 413',
        ...parts.map(() => 'PATCH 204'),
      ]);
      await page.close();
    });

    test('succeeds with tus-js-client in Node, even after an interruption', async () => {
      const path = join(folder, 'film.mp4');
      await bigMp4(path, size);
      const program = join(folder, 'node.mjs');
      copyFileSync(join(import.meta.dir, 'tus/node.mjs'), program);
      const given = { ...settings(), path, store: join(folder, 'uploads.json') };
      const said: unknown = JSON.parse(
        await run(['node', program, JSON.stringify(given)], { cwd: folder, env: { ...process.env } }),
      );
      expect(at(said, 'offsets')).toEqual(parts);
      expect(await show(world, { id: String(at(said, 'id')) })).toMatchObject({ status: 'active', size });
    });
  },
);
