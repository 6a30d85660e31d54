import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { REPOSITORY } from '@postshelf/harness';
import { makeBucket, putPolicy, type RealS3, realS3 } from '@postshelf/testing/servers/s3';
import * as fixtures from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { at } from '../support/reply.ts';
import { settingsOf } from '../support/s3.ts';
import { type MediaItem, oneMediaItem } from '../support/shapes.ts';
import { World } from '../support/world.ts';

const s3 = await realS3('covers in a public bucket');

/** The policy in docs/operating/bucket.md, which makes only media public. */
async function publicPolicy(bucket: string): Promise<string> {
  const page = await readFile(join(REPOSITORY, 'docs/operating/bucket.md'), 'utf8');
  const [, policy = ''] = /```json\n(\{[^`]*"PublicMedia"[^`]*)```/.exec(page) ?? [];
  return policy.replace('arn:aws:s3:::media/', `arn:aws:s3:::${bucket}/`);
}

describe.skipIf(!s3)('a public bucket', () => {
  let world: World;
  let remove: () => Promise<void>;
  let video: MediaItem;
  const poster = fixtures.png();

  beforeAll(async () => {
    const made = await makeBucket(s3 as RealS3);
    remove = made.remove;
    await putPolicy(s3 as RealS3, made.bucket, await publicPolicy(made.bucket));
    const { endpoint } = s3 as RealS3;
    world = await World.open({ ...settingsOf(s3 as RealS3, made.bucket), S3_PUBLIC_URL: `${endpoint}/${made.bucket}` });
    video = await world.storeOne(file('film.mp4', fixtures.mp4(3)));
    world.ids.video = video.id;
    world.ids.poster = (await world.storeOne(file('poster.png', poster))).id;
  });
  afterAll(async () => {
    await world.close();
    await remove();
  });

  const statusOf = async (link = ''): Promise<number> => {
    const response = await fetch(link);
    await response.arrayBuffer();
    return response.status;
  };

  /**
   * The statuses for a missing object. A store answers 403 to clients that may not list the bucket, so that they can't
   * find out which objects exist.
   */
  const GONE = [403, 404];

  test('serves only the new cover each time a cover is replaced', async () => {
    const choices = [{ media_content_id: '{poster}' }, { at: 1 }, { media_content_id: '{poster}' }];
    let { thumbnail } = video;
    expect(await statusOf(thumbnail?.link)).toBe(200);
    for (const cover of choices) {
      const chosen = oneMediaItem(await world.call('PATCH /media_contents/{video}', { json: { cover } }));
      expect(chosen.thumbnail?.link).toStartWith((s3 as RealS3).endpoint);
      expect(GONE).toContain(await statusOf(thumbnail?.link));
      thumbnail = chosen.thumbnail;
      expect(await statusOf(thumbnail?.link)).toBe(200);
    }
    const kept = new Uint8Array(await (await fetch(thumbnail?.link ?? '')).arrayBuffer());
    expect(Buffer.from(kept).equals(Buffer.from(poster))).toBe(true);
  });

  test('stops serving a chosen cover when its video is deleted, and serves it when the video is restored', async () => {
    const { link, thumbnail } = oneMediaItem(await world.call('GET /media_contents/{video}'));
    expect((await world.call('DELETE /media_contents/{video}')).status).toBe(204);
    for (const gone of [link, thumbnail?.link]) expect(GONE).toContain(await statusOf(gone));
    const restored = oneMediaItem(await world.call('POST /trash/{video}/restore'));
    expect(restored.thumbnail?.link).toBe(thumbnail?.link ?? '');
    expect([await statusOf(link), await statusOf(thumbnail?.link)]).toEqual([200, 200]);
  });

  test('serves a video to fetch_check without a redirect', async () => {
    const { json } = await world.call('POST /media_contents/{video}/fetch_check', {
      json: { targets: ['tiktok.post'] },
    });
    expect(at(json, 'data', 0)).toMatchObject({ ok: true, status: 200, redirects: [], content_type: 'video/mp4' });
  });
});
