import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { makeBucket, realS3 } from '@postshelf/testing/servers/s3';
import * as fixtures from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { at, stringAt } from '../support/reply.ts';
import { settingsOf } from '../support/s3.ts';
import { command, freePort } from '../support/server.ts';
import type { MediaItem } from '../support/shapes.ts';
import { World } from '../support/world.ts';
import { BROWSER } from './support/fetchers.ts';

const NOBODY = '019f5b0e-6a3d-7e11-8c42-9f0d3b7a5e64';
const REFUSAL = '{"message":"This file needs a signed link that has not expired."}';

let world: World;
let item: MediaItem;
let video: MediaItem;

beforeAll(async () => {
  world = await World.open();
  await world.command(['workspace', 'change', world.ids.workspace ?? '', '--links', 'signed']);
  [item, video] = await Promise.all([
    world.storeOne(file('beach day.jpg', fixtures.jpeg())),
    world.storeOne(file('film.mp4', fixtures.mp4(2))),
  ]);
  world.ids.media = item.id;
  world.ids.video = video.id;
});

afterAll(() => world.close());

const linkOf = async (id = item.id, expires_in = 60): Promise<string> => {
  const { status, json } = await world.call(`POST /media_contents/${id}/links`, { json: { expires_in } });
  expect(status).toBe(201);
  return stringAt(json, 'data', 'link');
};

const statusOf = async (link: string, init: RequestInit = {}): Promise<number> => {
  const response = await fetch(link, init);
  await response.body?.cancel();
  return response.status;
};

/** Returns everything by which a reader could distinguish answers. */
const seen = async (link: string, init: RequestInit = {}) => {
  const { status, headers, ...response } = await fetch(link, init).then(async (got) => ({
    status: got.status,
    headers: got.headers,
    text: await got.text(),
  }));
  const kept = [...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id').sort();
  return { status, headers: kept, text: response.text };
};

describe('a workspace with signed links', () => {
  test('lists links without a signature, and reports that links must be signed', async () => {
    expect(item.link).toBe(`${world.ids.url}/files/${item.full_name.replace(' ', '%20')}`);
    const { json } = await world.call('GET /me');
    expect(at(json, 'data', 'workspaces', 0, 'links')).toBe('signed');
  });

  test('answers 403 for existing and missing files alike if the signature is missing or invalid', async () => {
    const root = `${world.ids.url}/files/${world.ids.workspace}`;
    const preview = `${world.ids.url}/previews/${world.ids.workspace}`;
    const etag = `"${new Bun.CryptoHasher('sha256').update(fixtures.jpeg()).digest('hex')}"`;
    const soon = Math.floor(Date.now() / 1000) + 60;
    const conditions: RequestInit[] = [
      {},
      { headers: { 'if-none-match': '*' } },
      { headers: { 'if-none-match': etag } },
      { headers: { range: 'bytes=0-0' } },
      { method: 'HEAD' },
    ];
    for (const init of conditions) {
      for (const query of ['', '?expires=1&signature=x', `?expires=${soon}&signature=${'A'.repeat(43)}`]) {
        const answers = [
          item.link,
          `${root}/${NOBODY}/a.jpg`,
          `${root}/${item.id}/other.jpg`,
          `${root}/x`,
          `${root}/%zz`,
        ];
        const pictures = [`${preview}/${item.id}/64.webp`, `${preview}/${NOBODY}/64.webp`, `${preview}/x`];
        const replies = await Promise.all([...answers, ...pictures].map((link) => seen(link + query, init)));
        for (const one of replies) expect(one).toEqual(replies[0] as typeof one);
        expect(replies[0]).toMatchObject({ status: 403, text: init.method === 'HEAD' ? '' : REFUSAL });
      }
    }
    expect(await statusOf(`${world.ids.url}/files/${NOBODY}/${item.id}/a.jpg`)).toBe(404);
  });

  test('serves a file by a signed link, cacheable privately and only until the link expires', async () => {
    const link = await linkOf();
    const [whole, head, part] = await Promise.all([
      fetch(link),
      fetch(link, { method: 'HEAD' }),
      fetch(link, { headers: { range: 'bytes=1-3' } }),
    ]);
    expect([whole.status, head.status, part.status]).toEqual([200, 200, 206]);
    const bytes = Buffer.from(await whole.arrayBuffer());
    expect(bytes.equals(Buffer.from(fixtures.jpeg()))).toBe(true);
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(1, 4))).toBe(true);
    for (const { headers } of [whole, head, part]) {
      const [, scope, seconds] = /^(\w+), max-age=(\d+), immutable$/.exec(headers.get('cache-control') ?? '') ?? [];
      expect(scope).toBe('private');
      expect(Number(seconds)).toBeWithin(40, 61);
    }
    const same = await fetch(link, { headers: { 'if-none-match': whole.headers.get('etag') ?? '' } });
    expect(same.status).toBe(304);
    expect(same.headers.get('cache-control')).toStartWith('private');
  });

  test('refuses a changed signature, and one that belongs to another link', async () => {
    const [own, others] = [new URL(await linkOf()), new URL(await linkOf(video.id))];
    const changed = (change: (url: URL) => unknown): string => {
      const url = new URL(own);
      change(url);
      return url.href;
    };
    const expires = Number(own.searchParams.get('expires'));
    const forged = [
      `${item.link}${others.search}`,
      changed(({ searchParams }) => searchParams.set('expires', String(expires + 1))),
      changed(({ searchParams }) => searchParams.set('expires', `0${expires}`)),
      changed(({ searchParams }) => searchParams.delete('expires')),
      changed(({ searchParams }) => searchParams.set('signature', `${searchParams.get('signature')}=`)),
      changed(({ searchParams }) => searchParams.set('signature', 'é'.repeat(43))),
      `${world.ids.url}/previews/${item.full_name}${own.search}`,
    ];
    for (const link of forged) expect([link, await statusOf(link)]).toEqual([link, 403]);
    // The name in the URL may be spelled differently, here with an escaped letter.
    expect(await statusOf(own.href.replace('beach', '%62each'))).toBe(200);
  });

  test('signs the links of several items in one call', async () => {
    const ids = [video.id, NOBODY, 'x', item.id];
    const { status, json } = await world.call('POST /workspaces/{workspace}/links', {
      json: { ids, expires_in: 3600 },
    });
    expect(status).toBe(200);
    const [ofVideo, ofItem] = [at(json, 'data', 0), at(json, 'data', 1)];
    expect([at(ofVideo, 'id'), at(ofItem, 'id'), at(json, 'data', 2)]).toEqual([video.id, item.id, undefined]);
    expect(at(ofItem, 'thumbnail')).toBeNull();
    const plain = await world.call('GET /media_contents/{video}?include=details');
    const cover = at(plain.json, 'data', 'thumbnail') as MediaItem | null;
    const shown = at(ofVideo, 'thumbnail') as MediaItem | null;
    expect(shown).toEqual(cover && { ...cover, link: shown?.link ?? '' });
    for (const one of [ofVideo, ofItem]) {
      const previews = at(one, 'previews') as { link: string }[];
      const links = [stringAt(one, 'link'), ...(previews ?? []).map(({ link }) => link)];
      for (const link of links) expect([link, await statusOf(link)]).toEqual([link, 200]);
      const expires = Date.parse(stringAt(one, 'expires_at'));
      expect(new URL(stringAt(one, 'link')).searchParams.get('expires')).toBe(String(expires / 1000));
      expect(expires - Date.now()).toBeWithin(3_500_000, 3_600_001);
    }
    if (shown) expect(await statusOf(shown.link)).toBe(200);
    expect((at(ofItem, 'previews') as unknown[]).length).toBeGreaterThan(0);
  });

  test.each([59, 604_801, 60.5, '60', null, undefined])('refuses an expires_in of %p', async (expires_in) => {
    const { status, json } = await world.call('POST /media_contents/{media}/links', { json: { expires_in } });
    expect([status, Object.keys(Object(at(json, 'errors')))]).toEqual([422, ['expires_in']]);
  });

  test('answers 404 for a deleted file with its signature, and 403 without it', async () => {
    const gone = await world.storeOne(file('gone.png', fixtures.png()));
    const link = await linkOf(gone.id);
    await world.call(`DELETE /media_contents/${gone.id}`);
    expect([await statusOf(link), await statusOf(gone.link)]).toEqual([404, 403]);
  });

  test('invalidates all links when its key is rotated, and a repeated request does not rotate it again', async () => {
    const before = await linkOf();
    const headers = { 'idempotency-key': 'rotate-once' };
    const rotate = () => world.call('POST /workspaces/{workspace}/rotate_link_key', { headers });
    expect((await rotate()).status).toBe(204);
    expect(await statusOf(before)).toBe(403);
    const after = await linkOf();
    expect((await rotate()).status).toBe(204);
    expect(await statusOf(after)).toBe(200);
    await world.run(['workspace', 'rotate-link-key', world.ids.workspace ?? '']);
    expect(await statusOf(after)).toBe(403);
  });

  test('requires a scope to rotate the key, and logs no signature', async () => {
    await world.token('reader', '{workspace}', ['--scope', 'media:read']);
    const options = { token: 'reader', json: { expires_in: 60 } };
    expect((await world.call('POST /media_contents/{media}/links', options)).status).toBe(201);
    const refused = await world.call('POST /workspaces/{workspace}/rotate_link_key', { token: 'reader' });
    expect(refused.status).toBe(403);
    await statusOf(await linkOf());
    expect(world.server.log()).not.toContain('signature');
  });

  test('can be made public with immediate effect, and its signed links keep working', async () => {
    const link = await linkOf();
    const id = world.ids.workspace ?? '';
    expect(await world.command(['workspace', 'update', id, '--links', 'public'])).toMatchObject({ links: 'public' });
    const response = await fetch(item.link);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect([response.status, await statusOf(link), await statusOf(`${link}x`)]).toEqual([200, 200, 200]);
    await world.command(['workspace', 'update', id, '--links', 'signed']);
    expect([await statusOf(item.link), await statusOf(link)]).toEqual([403, 200]);
  });
});

const s3 = await realS3('signed links over a bucket');

describe.skipIf(!s3)('signed links to a bucket', () => {
  test('redirect browsers to the bucket until they expire, and cannot be enabled for a public bucket', async () => {
    if (!s3) return;
    const { bucket, remove } = await makeBucket(s3);
    const over = await World.openAlone(settingsOf(s3, bucket));
    try {
      const id = over.ids.workspace ?? '';
      await over.command(['workspace', 'update', id, '--links', 'signed']);
      const stored = await over.storeOne(file('a.png', fixtures.png()));
      const signed = await over.call(`POST /media_contents/${stored.id}/links`, { json: { expires_in: 60 } });
      const link = stringAt(signed.json, 'data', 'link');
      const moved = await fetch(link, { redirect: 'manual', headers: BROWSER });
      const to = new URL(moved.headers.get('location') ?? '');
      expect([moved.status, await statusOf(stored.link, { redirect: 'manual' })]).toEqual([302, 403]);
      expect(Number(to.searchParams.get('X-Amz-Expires'))).toBeWithin(40, 61);
      for (const method of ['GET', 'HEAD']) {
        const { status, headers } = await fetch(link, { method, headers: BROWSER });
        expect([status, headers.get('cache-control')?.split(',')[0]]).toEqual([200, 'private']);
      }
      const week = { json: { expires_in: 604_800 } };
      const long = await over.call(`POST /media_contents/${stored.id}/links`, week);
      const redirected = await fetch(stringAt(long.json, 'data', 'link'), { redirect: 'manual', headers: BROWSER });
      expect(redirected.headers.get('location')).toContain('X-Amz-Expires=900');
      expect(await statusOf(to.origin + to.pathname)).toBe(403);

      const published = { ...over.server.settings, S3_PUBLIC_URL: `${to.origin}/${bucket}` };
      const refused = await command(['workspace', 'create', '--name', 'A', '--links', 'signed'], published);
      expect(refused.stderr).toContain('Links cannot be signed while S3_PUBLIC_URL is set');
      const start = await command(['serve'], { ...published, PORT: String(await freePort()) });
      expect([start.code === 0, start.stderr]).toEqual([
        false,
        expect.stringContaining(`S3_PUBLIC_URL: workspace ${id}`),
      ]);
    } finally {
      await over.close();
      await remove();
    }
  });
});
