import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, removeFolder, scratchFolder } from '../support/server.ts';
import { mediaItem } from '../support/shapes.ts';
import { onDisk } from '../support/storage.ts';
import { within } from '../support/until.ts';
import { World } from '../support/world.ts';
import { Installed } from './support/installed.ts';
import { expectProgress } from './support/progress.ts';

setDefaultTimeout(120_000);

const chromium = Bun.which('chromium') ?? Bun.which('google-chrome');
const megabyte = 2 ** 20;

if (!chromium) process.stderr.write('SKIPPED: no chromium on the PATH, so the client is not tried in a browser.\n');

describe.skipIf(!chromium)('the published client in a page of another origin', () => {
  let world: World;
  let installed: Installed;
  let page: Bun.Server<undefined>;
  let result: Promise<unknown>;

  beforeAll(async () => {
    const port = await freePort();
    [world, installed] = await Promise.all([
      // A bucket has CORS rules of its own, which `postshelf storage setup` makes and its tests try.
      World.open({ ...onDisk, CORS_ORIGINS: `http://127.0.0.1:${port}` }),
      Installed.open(),
    ]);
    const film = readFileSync(installed.movie('film.mp4', 20 * megabyte));
    const script = await bundle(installed.folder);
    const { promise, resolve } = Promise.withResolvers<unknown>();
    result = promise;
    page = Bun.serve({
      port,
      hostname: '127.0.0.1',
      routes: {
        '/': new Response('<!doctype html><script type="module" src="/page.js"></script>', {
          headers: { 'Content-Type': 'text/html' },
        }),
        '/page.js': new Response(script, { headers: { 'Content-Type': 'text/javascript' } }),
        '/film.mp4': new Response(film),
        '/settings': () =>
          Response.json({ url: world.server.url, token: world.tokens.all, workspace: world.ids.workspace }),
        '/result': async (request) => {
          resolve(await request.json());
          return new Response();
        },
      },
      fetch: () => new Response(null, { status: 404 }),
    });
  });

  afterAll(async () => {
    await page.stop(true);
    installed.close();
    await world.close();
  });

  test('uploads with progress, presigned uploads, lists, errors, aborts', async () => {
    const { resolved, ...failure } = (await visit(page.url, result)) as { resolved?: Record<string, unknown> };
    expect(failure).toEqual({});
    const { items, uploading, presigned, putting, pages, created, ready, text, aborted, unreachable, globals } =
      resolved ?? {};
    const sizes = (items as unknown[]).map((item) => mediaItem(item).size);
    expect(sizes).toEqual([20 * megabyte, 20 * megabyte]);
    expectProgress(uploading, 40 * megabyte);
    expectProgress(putting, 20 * megabyte);
    // More than "nothing" and "all": a page can draw a bar of it.
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

/** The page's script and the installed client, as a bundler puts them together for browsers. */
async function bundle(folder: string): Promise<string> {
  const entry = join(folder, 'page.mjs');
  copyFileSync(join(import.meta.dir, 'support/page.mjs'), entry);
  const { outputs } = await Bun.build({ entrypoints: [entry], target: 'browser', format: 'esm' });
  const [script] = outputs;
  if (!script) throw new Error('The page has no script.');
  return script.text();
}

/** Opens the page in a browser of its own until it has said what came of it. */
async function visit(url: URL, result: Promise<unknown>): Promise<unknown> {
  const profile = scratchFolder();
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'];
  const browser = Bun.spawn([chromium ?? '', ...flags, `--user-data-dir=${profile}`, String(url)], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  });
  try {
    return await within('the page says what came of it', result, 90_000);
  } finally {
    browser.kill('SIGKILL');
    await browser.exited;
    removeFolder(profile);
  }
}
