// These tests run docs/deploy/compose.yaml with the profile "one" in containers. `npm run test:containers` starts them.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@postshelf/harness';
import { jpeg, mp4 } from '../acceptance/support/fixtures.ts';
import { arrayAt, at, stringAt } from '../acceptance/support/reply.ts';
import { type MediaItem, mediaItems, oneMediaItem } from '../acceptance/support/shapes.ts';
import { docker, IMAGES, inContainers, inspect, Stack, tryDocker } from './support/stack.ts';

describe.skipIf(!inContainers)('one service in a container', () => {
  let stack: Stack;
  let workspace: string;
  let picture: MediaItem;

  const served = async () => {
    const item = oneMediaItem(await stack.call(`media_contents/${picture.id}`));
    return (await stack.call(item.link)).bytes;
  };

  /** Waits until a service is healthy. @returns how often the engine has restarted it */
  const restarts = async (service: string): Promise<number> => {
    const container = await stack.containerOf(service);
    await until(
      `${service} is healthy`,
      async () => at(await inspect(container), 'State', 'Health', 'Status') === 'healthy',
      120_000,
    );
    return Number(at(await inspect(container), 'RestartCount'));
  };

  beforeAll(async () => {
    stack = await Stack.start('one', IMAGES.released);
    workspace = await stack.makeWorkspace('postshelf');
  });
  afterAll(() => stack?.remove());

  test('starts healthy, without capabilities, as its own user', async () => {
    const container = await inspect(await stack.containerOf('postshelf'));
    expect(at(container, 'State', 'Health', 'Status')).toBe('healthy');
    expect((await stack.shell('postshelf', 'grep -E "^(Uid|CapEff|NoNewPrivs)" /proc/self/status')).stdout).toBe(
      'Uid:\t10001\t10001\t10001\t10001\nCapEff:\t0000000000000000\nNoNewPrivs:\t1\n',
    );
    expect(await stack.call(`${stack.origin}/health`)).toMatchObject({ status: 404 });
  });

  test('stores and serves an image, a video and its cover through Caddy', async () => {
    const body = new FormData();
    body.append('files[]', new Blob([Buffer.from(jpeg())]), 'picture.jpg');
    body.append('files[]', new Blob([Buffer.from(mp4())]), 'film.mp4');
    const items = mediaItems(await stack.call(`workspaces/${workspace}/media_contents`, { method: 'POST', body }));
    const video = items[1];
    [picture] = items as [MediaItem];
    expect(picture.link).toStartWith(`${stack.origin}/`);
    expect(await served()).toEqual(jpeg());
    expect((await stack.call(video?.link ?? '')).bytes).toEqual(mp4());
    expect(await stack.call(video?.thumbnail?.link ?? '')).toMatchObject({ status: 200 });
  });

  test('can write only to its volumes', async () => {
    const container = await stack.containerOf('postshelf');
    expect(at(await inspect(container), 'HostConfig', 'ReadonlyRootfs')).toBe(true);
    const { code, stderr } = await stack.shell('postshelf', 'echo 1 >/usr/local/bin/other');
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('Read-only file system') });
    const mounts = arrayAt(await inspect(container), 'Mounts');
    expect(mounts.map((mount) => stringAt(mount, 'Destination')).sort()).toEqual(['/data', '/tmp']);
  });

  test('is restarted after kill -9, and still has what it acknowledged', async () => {
    await stack.shell('postshelf', 'kill -9 -1');
    await until('the engine starts it again', async () => (await restarts('postshelf')) === 1, 120_000);
    expect(await served()).toEqual(jpeg());
  });

  test('fails no requests during a restart', async () => {
    let isOver = false;
    const restarted = stack.compose('restart', 'postshelf').finally(() => {
      isOver = true;
    });
    while (!isOver) expect(await served()).toEqual(jpeg());
    await restarted;
    const container = await stack.containerOf('postshelf');
    await stack.compose('stop', 'postshelf');
    expect(at(await inspect(container), 'State', 'ExitCode')).toBe(0);
    await stack.up();
  });

  test('keeps using its volume after an upgrade to a newer image', async () => {
    const version = () => stack.postshelf('postshelf', ['--version']);
    const before = await version();
    expect(before).toMatch(/^\d+\.\d+\.\d+(?: |$)/m);
    stack.use(IMAGES.built);
    await stack.up();
    expect(at(await inspect(await stack.containerOf('postshelf')), 'Config', 'Image')).toBe(IMAGES.built);
    expect((await version()).split(' ')[0]).toBe(before.split(' ')[0] ?? '');
    expect(await served()).toEqual(jpeg());
    expect(await stack.postshelf('postshelf', ['verify'])).toContain('no problems found');
  });

  test('can be restored from a backup to an empty volume', async () => {
    const file = join(stack.folder, 'postshelf.tar');
    await stack.postshelf('postshelf', ['backup', '--with-media', '-'], { to: file });
    expect(statSync(file).size).toBeGreaterThan(jpeg().length + mp4().length);
    await stack.compose('down', '--volumes');
    await docker(['compose', 'run', '--rm', '-T', '--no-deps', 'postshelf', 'restore', '-'], stack.folder, {
      from: file,
    });
    await stack.up();
    expect(await served()).toEqual(jpeg());
  });

  test('can be started without Compose by the docker run command of docs/deploy.md', async () => {
    const name = `postshelf-test-${crypto.randomUUID().slice(0, 8)}`;
    const options = ['--init', '--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];
    const places = ['-v', `${name}:/data`, '-v', `${name}-tmp:/tmp`, '-p', '127.0.0.1::3000'];
    try {
      await docker(['run', '-d', '--name', name, ...options, ...places, IMAGES.built]);
      const state = async () => stringAt(await inspect(name), 'State', 'Health', 'Status');
      await until('it is healthy', async () => (await state()) === 'healthy', 120_000);
      const made = await docker(['exec', name, 'postshelf', 'workspace', 'create', '--name', 'Alone', '--json']);
      expect(stringAt(JSON.parse(made), 'name')).toBe('Alone');
      const address = (await docker(['port', name, '3000'])).trim();
      expect((await fetch(`http://${address}/health`)).status).toBe(200);
      await docker(['stop', '--time', '45', name]);
      expect(at(await inspect(name), 'State', 'ExitCode')).toBe(0);
    } finally {
      await tryDocker(['rm', '--force', '--volumes', name]);
      await tryDocker(['volume', 'rm', name, `${name}-tmp`]);
    }
  });
});
