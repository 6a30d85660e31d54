import { expect } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { testsThatNeed } from '@postshelf/testing/programs';
import * as fixtures from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { arrayAt, at, type Reply } from '../support/reply.ts';
import { onDisk } from '../support/storage.ts';
import { type Row, table } from '../support/table.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';

const { afterAll, beforeAll, describe, test } = testsThatNeed(['ffmpeg'], 'previews, including those of a cover');

let world: World;

/** A complete PNG with correct checksums, whose pixel data can't be decompressed. */
function undecodable(): Uint8Array {
  const bytes = Buffer.from(fixtures.png());
  const data = bytes.indexOf('IDAT');
  const length = bytes.readUInt32BE(data - 4);
  bytes.fill(0xff, data + 4, data + 4 + length);
  bytes.writeUInt32BE(crc32(bytes.subarray(data, data + 4 + length)), data + 4 + length);
  return bytes;
}

const detailsOf = async (id: string): Promise<unknown> =>
  at((await world.call(`GET /media_contents/${id}?include=details`)).json, 'data', 'details');
const linksOf = async (id: string): Promise<readonly string[]> =>
  arrayAt(await detailsOf(id), 'previews').map((preview) => String(at(preview, 'link')));
const get = (link: string): Promise<Reply> => world.call(`GET ${new URL(link).pathname}`, { token: null });

beforeAll(async () => {
  world = await World.open({ PREVIEWS_AHEAD: 'true' });
  const { ids } = world;
  const large = await new Bun.Image(fixtures.png()).resize(700, 525).jpeg().bytes();
  ids.photo = (await world.storeOne(file('photo.jpg', large))).id;
  ids.video = (await world.storeVideo(file('film.mp4', fixtures.mp4()))).id;
  ids.broken = (await world.storeOne(file('broken.png', undecodable()))).id;
});

afterAll(() => world.close());

describe('a preview', () => {
  const previewHeaders = {
    'content-type': 'image/webp',
    'cache-control': /(^|[ ,])immutable($|[ ,])/,
    'x-content-type-options': 'nosniff',
    'content-security-policy': /(^|[ ;])sandbox($|[ ;])/,
    etag: /^"[\x21\x23-\x7e]+"$/,
  } as const;
  const path = '/previews/{workspace}/{photo}/320.webp';
  const notFound = (name: string, send: string): Row => ({
    name: `is answered 404 ${name}`,
    send,
    token: null,
    status: 404,
  });

  test('is listed with the size that its link serves, and a video lists the previews of its cover', async () => {
    const photo = arrayAt(await detailsOf(String(world.ids.photo)), 'previews');
    const sizes = photo.map((preview) => [at(preview, 'width'), at(preview, 'height')]);
    expect(sizes).toEqual([
      [160, 120],
      [320, 240],
      [640, 480],
    ]);
    const video = await linksOf(String(world.ids.video));
    expect(video).toHaveLength(1);
    for (const [index, link] of [...photo.map((preview) => String(at(preview, 'link'))), ...video].entries()) {
      const { status, bytes } = await get(link);
      const [width, height] = sizes[index] ?? [64, 48];
      expect([status, await new Bun.Image(bytes).metadata()]).toEqual([
        200,
        { format: 'webp', width, height } as never,
      ]);
    }
  });

  table(
    () => world,
    [
      {
        name: 'is served without a token',
        send: `GET ${path}`,
        token: null,
        status: 200,
        replyHeaders: previewHeaders,
      },
      { name: 'answers HEAD', send: `HEAD ${path}`, token: null, status: 200, replyHeaders: previewHeaders },
      {
        name: 'answers a range',
        send: `GET ${path}`,
        headers: { range: 'bytes=0-3' },
        status: 206,
        after: ({ bytes }) => expect(Buffer.from(bytes).toString()).toBe('RIFF'),
      },
      {
        name: 'is answered 304 to a client that already has it',
        send: `GET ${path}`,
        headers: { 'if-none-match': '*' },
        status: 304,
      },
      notFound('in another width', path.replace('320', '321')),
      notFound('in a width larger than the image', path.replace('320', '1280')),
      notFound('for a video itself instead of its cover', '/previews/{workspace}/{video}/64.webp'),
      notFound('in another workspace', path.replace('{workspace}', '{foreign}')),
      notFound('for an unknown item', path.replace('{photo}', '{unknown}')),
      notFound('for a path outside the folder', '/previews/%2e%2e/%2e%2e/postshelf.db'),
      { name: 'is answered 405 for another method', send: `POST ${path}`, status: 405 },
    ],
  );

  test('is answered 404, and no longer listed, if its image cannot be decoded', async () => {
    const id = String(world.ids.broken);
    const link = `${world.ids.url}/previews/${world.ids.workspace}/${id}/32.webp`;
    expect((await get(link)).status).toBe(404);
    expect((await get(link)).status).toBe(404);
    expect(await detailsOf(id)).toMatchObject({ previews: [], placeholder: null });
  });

  test('is made in advance, with a placeholder, and removed with its item', async () => {
    const { id } = await world.storeOne(file('late.png', fixtures.png()));
    const [link = ''] = await linksOf(id);
    await until('the worker has made them', async () => at(await detailsOf(id), 'placeholder') !== null);
    expect(at(await detailsOf(id), 'placeholder')).toStartWith('data:image/png;base64,');
    const reply = await get(link);
    expect(reply.status).toBe(200);
    await world.call(`DELETE /media_contents/${id}`);
    expect((await get(link)).status).toBe(404);
  });
});

test('previews are stored in a separate folder, which verify ignores and gc cleans up', async () => {
  const own = await World.open(onDisk);
  try {
    const { id } = await own.storeOne(file('photo.png', fixtures.png()));
    const folder = join(own.dataDir, 'media/.previews', String(own.ids.workspace));
    await own.call(`GET /previews/{workspace}/${id}/32.webp`);
    expect(existsSync(join(folder, id, '32.webp'))).toBe(true);
    expect(await own.command(['verify'])).toMatchObject({ objects: 1, problems: [] });
    // This preview has no item, as if the server had been killed right after it deleted the item's row.
    await Bun.write(join(folder, String(own.ids.unknown), '32.webp'), 'left');
    expect(await own.command(['gc'])).toMatchObject({ previews: 1, trashed: 0, bytes: 4 });
    await own.call(`DELETE /media_contents/${id}`);
    expect(existsSync(join(folder, id))).toBe(false);
  } finally {
    await own.close();
  }
});
