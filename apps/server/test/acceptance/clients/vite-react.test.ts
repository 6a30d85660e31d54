import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import * as fixtures from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { freePort } from '../support/server.ts';
import { onDisk } from '../support/storage.ts';
import { World } from '../support/world.ts';
import { Project } from './support/project.ts';

setDefaultTimeout(180_000);

const browserPath = Bun.which('chromium') ?? Bun.which('google-chrome');

let world: World;
let project: Project;
let port: number;

beforeAll(async () => {
  port = await freePort();
  [world, project] = await Promise.all([
    World.open({ ...onDisk, CORS_ORIGINS: `http://127.0.0.1:${port}` }),
    Project.open('vite-react', 'src/readme.tsx'),
  ]);
  await world.storeOne(file('beach.png', fixtures.png()));
});

afterAll(async () => {
  project.close();
  await world.close();
});

test("the client installs beside tRPC's React package, which has no second copy", async () => {
  const names = ['@tanstack/react-query', '@trpc/client', '@trpc/server'];
  expect(await project.copiesOf(names)).toEqual(names.map((name) => join(project.folder, 'node_modules', name)));
});

test('a fresh project of Vite and React type-checks strictly, and builds', async () => {
  await project.run('tsc', ['--project', '.']);
  await project.run('vite', ['build'], {
    VITE_POSTSHELF_URL: world.server.url,
    VITE_POSTSHELF_TOKEN: String(world.tokens.all),
    VITE_POSTSHELF_WORKSPACE: String(world.ids.workspace),
  });
});

test.skipIf(!browserPath)('its page lists media through the query hook, and uploads', async () => {
  const page = Bun.serve({
    port,
    hostname: '127.0.0.1',
    fetch: async ({ url }) => {
      const { pathname } = new URL(url);
      const asset = Bun.file(join(project.folder, 'dist', pathname === '/' ? 'index.html' : pathname));
      return (await asset.exists()) ? new Response(asset) : new Response(null, { status: 404 });
    },
  });
  const browser = await chromium.launch({ executablePath: String(browserPath), args: ['--no-sandbox'] });
  try {
    const tab = await browser.newPage();
    await tab.goto(String(page.url));
    await tab.getByRole('link', { name: 'beach.png' }).waitFor();
    const buffer = Buffer.from(fixtures.jpeg());
    await tab.getByLabel('Files').setInputFiles({ name: 'dunes.jpg', mimeType: 'image/jpeg', buffer });
    await tab.getByRole('link', { name: 'dunes.jpg' }).waitFor();
    expect(await tab.getByRole('listitem').allTextContents()).toEqual(['dunes.jpg', 'beach.png']);
    const text = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no picture') };
    await tab.getByLabel('Files').setInputFiles(text);
    await tab.getByRole('alert').waitFor();
    expect(await tab.getByRole('alert').textContent()).toContain('The files.0');
  } finally {
    await browser.close();
    await page.stop(true);
  }
});
