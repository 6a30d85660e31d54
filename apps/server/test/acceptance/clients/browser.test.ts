import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installedBrowsers } from '../support/browsers.ts';
import { freePort } from '../support/server.ts';
import { mediaItem } from '../support/shapes.ts';
import { onDisk } from '../support/storage.ts';
import { World } from '../support/world.ts';
import { Installed } from './support/installed.ts';
import { bundle, ScriptedPage } from './support/page.ts';
import { expectProgress } from './support/progress.ts';

const [browser] = installedBrowsers('the published client in a page');
const megabyte = 2 ** 20;

describe.skipIf(!browser)('the published client in a page of another origin', () => {
  let world: World;
  let installed: Installed;
  let page: ScriptedPage;

  beforeAll(async () => {
    const port = await freePort();
    [world, installed] = await Promise.all([
      // Only storage in a folder is tested here. A bucket has its own CORS rules, which are checked by the tests of
      // `postshelf storage setup`, the command that creates them.
      World.open({ ...onDisk, CORS_ORIGINS: `http://127.0.0.1:${port}` }),
      Installed.open(),
    ]);
    page = new ScriptedPage(port, { 'film.mp4': readFileSync(installed.movie('film.mp4', 20 * megabyte)) });
  });

  afterAll(async () => {
    await browser?.close();
    await page.close();
    installed.close();
    await world.close();
  });

  test('uploads files, reports progress, lists pages, and returns errors and aborts', async () => {
    const script = await bundle(join(import.meta.dir, 'support/page.mjs'), installed.folder);
    const settings = { url: world.server.url, token: world.tokens.all, workspace: world.ids.workspace };
    const tab = await browser?.openTab();
    // A browser reports progress only every 50 ms, and would send the whole file in less time. So the upload is
    // limited, in bytes per second.
    await tab?.emulateNetworkConditions({ upload: 40 * megabyte, download: -1, latency: 0 });
    const outcome = tab && (await page.visit(tab, script, settings)).result;
    const { resolved, ...failure } = outcome as { resolved?: Record<string, unknown> };
    expect(failure).toEqual({});
    const {
      checked,
      items,
      uploading,
      presigned,
      putting,
      pages,
      created,
      ready,
      text,
      aborted,
      unreachable,
      globals,
    } = resolved ?? {};
    expect(checked).toEqual([{ target: 'x.post', verdict: 'ready', problems: [] }]);
    const sizes = (items as unknown[]).map((item) => mediaItem(item).size);
    expect(sizes).toEqual([20 * megabyte, 20 * megabyte]);
    expectProgress(uploading, 40 * megabyte);
    expectProgress(putting, 20 * megabyte);
    // A progress bar needs reports between the first one and the last one.
    expect((uploading as unknown[]).length).toBeGreaterThan(2);
    expect(mediaItem(presigned)).toMatchObject({ status: 'active', size: 20 * megabyte });
    expect(ready).toEqual(presigned);
    expect(pages).toEqual([2, 1]);
    expect(created).toMatchObject({ data: { name: 'Made in a page' } });
    expect(text).toMatchObject({
      isPostshelfError: true,
      code: 'refused',
      status: 422,
      errors: { 'files.0': [expect.any(String)] },
    });
    expect(aborted).toMatchObject({ isPostshelfError: true, code: 'aborted', status: 0 });
    expect(unreachable).toMatchObject({ isPostshelfError: true, code: 'unreachable', status: 0 });
    expect(globals).toEqual(['undefined', 'undefined', 'undefined']);
  });
});
