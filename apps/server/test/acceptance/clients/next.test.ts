import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import * as fixtures from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { freePort } from '../support/server.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { Project } from './support/project.ts';

setDefaultTimeout(300_000);

let world: World;
let project: Project;

beforeAll(async () => {
  [world, project] = await Promise.all([World.open(), Project.open('next', 'app/readme.tsx')]);
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

test('a fresh project of Next.js builds, types included, and its server asks with the client', async () => {
  const service = {
    POSTSHELF_URL: world.server.url,
    POSTSHELF_TOKEN: String(world.tokens.all),
    POSTSHELF_WORKSPACE: String(world.ids.workspace),
  };
  // It type-checks as it builds, and writes into the scripts of pages what is said to be public.
  await project.run('next', ['build'], {
    NEXT_PUBLIC_POSTSHELF_URL: service.POSTSHELF_URL,
    NEXT_PUBLIC_POSTSHELF_TOKEN: service.POSTSHELF_TOKEN,
  });
  const port = await freePort();
  const bin = join(project.folder, 'node_modules/next/dist/bin/next');
  const server = Bun.spawn(['node', bin, 'start', '--port', String(port), '--hostname', '127.0.0.1'], {
    cwd: project.folder,
    env: project.environment(service),
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  });
  try {
    let page = '';
    await until(
      'the page is shown',
      async () => {
        if (server.exitCode !== null) throw new Error(`next start ended with ${server.exitCode}.`);
        const response = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
        page = (await response?.text()) ?? '';
        if (response && !response.ok) throw new Error(`The page is ${response.status}: ${page}`);
        return response !== undefined;
      },
      60_000,
    );
    expect(page.replaceAll('<!-- -->', '')).toContain('<h1>1 items</h1>');
  } finally {
    server.kill('SIGKILL');
    await server.exited;
  }
});
