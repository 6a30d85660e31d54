import { afterAll, beforeAll, expect, test } from 'bun:test';
import { cpSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { installedBrowsers } from '../support/browsers.ts';
import * as fixtures from '../support/fixtures.ts';
import { sized } from '../support/long.ts';
import { file } from '../support/multipart.ts';
import { run } from '../support/run.ts';
import { freePort, removeFolder, scratchFolder } from '../support/server.ts';
import { onDisk } from '../support/storage.ts';
import { until, within } from '../support/until.ts';
import { World } from '../support/world.ts';
import { installPackages } from './support/install.ts';

const repository = resolve(import.meta.dir, '../../../../..');
const client = join(repository, 'packages/client');
const [browser] = installedBrowsers('the page of a project of Vite and React');

let world: World;
/** One folder for both a Vite and a Next.js project, because they have most packages in common. */
let project: string;
let port: number;

beforeAll(async () => {
  // Some bundlers search enclosing folders and resolve symbolic links, so the path is outside the repository and
  // contains no links.
  project = realpathSync(scratchFolder());
  port = await freePort();
  [world] = await Promise.all([
    World.open({ ...onDisk, CORS_ORIGINS: `http://127.0.0.1:${port}` }),
    installPackages(join(import.meta.dir, 'react'), project),
  ]);
  cpSync(join(import.meta.dir, 'react/program'), project, { recursive: true });
  writeFileSync(join(project, 'readme.tsx'), readmeSample());
  await installClient();
  await world.storeOne(file('beach.png', fixtures.png()));
});

afterAll(async () => {
  await browser?.close();
  removeFolder(project);
  await world.close();
});

/** The environment of commands in the project, in which telemetry is disabled. */
function environment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, NO_COLOR: '1', CI: '1', NEXT_TELEMETRY_DISABLED: '1', ...more };
}

const inProject = (command: readonly string[], more?: Readonly<Record<string, string>>) =>
  run(command, { cwd: project, env: environment(more) });

/** Packs the client for publishing, and installs it with npm, which is strict about peer dependencies. */
async function installClient(): Promise<void> {
  const packed = join(project, '.packed');
  mkdirSync(packed);
  await inProject([process.execPath, join(client, 'test/support/install.mjs'), 'client', packed]);
  // `--offline` would fail on a new machine, because npm's cache would lack the registry's metadata of peer
  // dependencies.
  const options = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await inProject(['npm', 'install', ...options, join(packed, 'client.tgz')]);
  removeFolder(packed);
}

/** The React sample in the client's README. */
function readmeSample(): string {
  const [, sample] = /^```tsx\n(.*?)^```/ms.exec(readFileSync(join(client, 'README.md'), 'utf8')) ?? [];
  if (sample === undefined) throw new Error("The client's README has no sample for React.");
  return sample;
}

test("the packed client can be installed next to tRPC's React package without duplicate packages", () => {
  const { packages } = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8'));
  const names = ['@postshelf/client', '@tanstack/react-query', '@trpc/client', '@trpc/server'];
  const copies = Object.keys(packages).filter((path) => names.some((name) => path.endsWith(`node_modules/${name}`)));
  expect(copies.sort()).toEqual(names.map((name) => `node_modules/${name}`));
});

test('new Vite and Next.js projects with the sample of the README type-check strictly', async () => {
  await inProject(['node', join(repository, '.dev/node_modules/typescript/bin/tsc'), '--project', '.']);
});

// The next test takes the longest in this file, mostly because Next.js has to be compiled, so the short form skips it.
if (sized(false, true)) {
  test('a Next.js server fetches with the client, and renders the sample', async () => {
    const own = await freePort();
    // A production build of the same modules would take twice as long.
    const next = join(project, 'node_modules/next/dist/bin/next');
    const server = Bun.spawn(['node', next, 'dev', '--port', String(own), '--hostname', '127.0.0.1'], {
      cwd: project,
      env: environment({
        POSTSHELF_URL: world.server.url,
        POSTSHELF_TOKEN: String(world.tokens.all),
        POSTSHELF_WORKSPACE: String(world.ids.workspace),
        NEXT_PUBLIC_POSTSHELF_URL: world.server.url,
        NEXT_PUBLIC_POSTSHELF_TOKEN: String(world.tokens.all),
      }),
      stdio: ['ignore', 'ignore', 'ignore'],
    });
    try {
      let page: Response | undefined;
      await until(
        'the page is answered',
        async () => {
          if (server.exitCode !== null) throw new Error(`next dev ended with ${server.exitCode}.`);
          page = await fetch(`http://127.0.0.1:${own}/`).catch(() => undefined);
          return page !== undefined;
        },
        180_000,
      );
      const text = (await page?.text())?.replaceAll('<!-- -->', '') ?? '';
      expect(`${page?.status} ${text}`).toStartWith('200 ');
      expect(text).toContain('<h1>1 items</h1>');
      expect(text).toContain('Loading…');
    } finally {
      // SIGKILL would leave behind the child process that serves the pages.
      server.kill('SIGTERM');
      await within('next dev ends', server.exited);
    }
  });
}

test.skipIf(!browser)('a page built with Vite lists media through the query hook, and uploads', async () => {
  await inProject(['node_modules/.bin/vite', 'build'], {
    VITE_POSTSHELF_URL: world.server.url,
    VITE_POSTSHELF_TOKEN: String(world.tokens.all),
    VITE_POSTSHELF_WORKSPACE: String(world.ids.workspace),
  });
  const page = Bun.serve({
    port,
    hostname: '127.0.0.1',
    fetch: async ({ url }) => {
      const { pathname } = new URL(url);
      const asset = Bun.file(join(project, 'dist', pathname === '/' ? 'index.html' : pathname));
      return (await asset.exists()) ? new Response(asset) : new Response(null, { status: 404 });
    },
  });
  try {
    const tab = await browser?.openTab();
    if (!tab) return;
    const choose = async (name: string, bytes: Uint8Array): Promise<void> => {
      writeFileSync(join(project, name), bytes);
      await (await tab.waitForSelector('input[type=file]'))?.uploadFile(join(project, name));
    };
    await tab.goto(String(page.url));
    await tab.waitForSelector('a[href$="/beach.png"]');
    await choose('dunes.jpg', fixtures.jpeg());
    await tab.waitForSelector('a[href$="/dunes.jpg"]');
    expect(await tab.$$eval('li', (items) => items.map((item) => item.textContent))).toEqual([
      'dunes.jpg',
      'beach.png',
    ]);
    await choose('notes.jpg', new TextEncoder().encode('no picture'));
    const alert = await tab.waitForSelector('[role=alert]');
    expect(await alert?.evaluate((element) => element.textContent)).toContain('The files.0');
  } finally {
    await page.stop(true);
  }
});
