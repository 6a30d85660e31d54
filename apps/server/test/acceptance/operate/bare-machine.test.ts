import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { canMount } from '@postshelf/harness/mounts';
import { hasPrograms } from '@postshelf/testing/programs';
import { mp4, png } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { program } from '../support/program.ts';
import { command, jsonCommand, removeFolder, scratchFolder } from '../support/server.ts';
import { type MediaItem, mediaItems, oneMediaItem } from '../support/shapes.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';

/** Replaces setpriv and unshare with files that can't be executed, and runs the given command. */
const WITHOUT_TOOLS = 'for tool in setpriv unshare; do mount --bind /dev/null "$(command -v $tool)"; done; exec "$@"';
const NO_LINKS = ['trace=link,linkat', 'inject=link,linkat:error=EPERM'];

const strace = Bun.which('strace');
const canTry =
  hasPrograms(['strace', 'setpriv', 'ffmpeg'], 'a machine without setpriv, unshare and hard links') &&
  canMount('a machine without setpriv, unshare and hard links');

/**
 * Runs the program where setpriv, unshare and hard links don't work. strace runs as a grandchild (-D), so the process
 * that a test starts becomes the program itself.
 */
const bare = {
  ...program,
  command: [
    ...['unshare', '--mount', 'sh', '-c', WITHOUT_TOOLS, 'sh'],
    ...[strace ?? 'strace', '-D', '-f', '--seccomp-bpf', '-qq', '-o', '/dev/null'],
    ...NO_LINKS.flatMap((words) => ['-e', words]),
    ...program.command,
  ],
};

describe.skipIf(!canTry)('on a machine without setpriv, unshare and hard links', () => {
  let world: World;
  let items: readonly MediaItem[];
  const hash = (bytes: Uint8Array | ArrayBuffer) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
  const read = async (link = '') => hash(await (await fetch(link)).arrayBuffer());

  beforeAll(async () => {
    const settings = { JWT_SECRET: undefined, DATABASE_URL: undefined, S3_BUCKET: undefined };
    world = await World.open(settings, [], { program: bare, servers: 1 });
  });
  afterAll(() => world?.close());

  test('the service reports at start which protections are missing', async () => {
    await until('the log has the warning', () => world.server.log().includes('this machine lacks protections'));
    const line = world.server
      .log()
      .split('\n')
      .find((each) => each.includes('this machine lacks protections'));
    expect(JSON.parse(line ?? '')).toMatchObject({
      level: 'warn',
      weaker: [
        expect.stringContaining('can reach the network'),
        expect.stringContaining('outlive a kill -9'),
        expect.stringContaining('no hard links'),
      ],
    });
  });

  test('files are stored completely, and a video gets its cover', async () => {
    const picture = await new Bun.Image(png()).resize(320, 240).jpeg().bytes();
    items = mediaItems(await world.upload([file('photo.jpg', picture), file('film.mp4', mp4())]));
    const [photo, video] = items;
    expect(video?.thumbnail).toMatchObject({ width: 64, height: 48 });
    expect([await read(photo?.link), await read(video?.link)]).toEqual([hash(picture), hash(mp4())]);
    const preview = await fetch(`${world.ids.url}/previews/${world.ids.workspace}/${photo?.id}/160.webp`);
    expect({ status: preview.status, type: preview.headers.get('content-type') }).toEqual({
      status: 200,
      type: 'image/webp',
    });
  });

  test('all files survive kill -9, and are in a backup', async () => {
    await world.server.end('SIGKILL');
    const folder = scratchFolder();
    try {
      const { settings } = world.server;
      await jsonCommand(['backup', join(folder, 'all'), '--with-media'], settings, bare);
      const restored = { ...settings, DATA_DIR: join(folder, 'restored') };
      expect(await command(['restore', join(folder, 'all')], restored, bare)).toMatchObject({ code: 0 });
    } finally {
      removeFolder(folder);
    }
    await world.restart();
    for (const item of items) expect(oneMediaItem(await world.call(`GET /media_contents/${item.id}`))).toEqual(item);
    expect(await read(items[1]?.link)).toBe(hash(mp4()));
  });
});
