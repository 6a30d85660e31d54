// These tests import a bucket with `postshelf import`, from a real store into a real service.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bucketContents, clientOf, makeBucket, putObject, type RealS3, realS3 } from '@postshelf/testing/servers/s3';
import { png } from '../support/fixtures.ts';
import { at } from '../support/reply.ts';
import { removeFolder, type Settings, scratchFolder } from '../support/server.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { allItems, picture, TakingIn } from './support/taking-in.ts';

const s3 = await realS3('importing a bucket');

describe.skipIf(!s3)('postshelf import of a bucket', () => {
  const store = s3 as RealS3;
  let world: World;
  let home: string;
  let client: ReturnType<typeof clientOf>;
  let made: Awaited<ReturnType<typeof makeBucket>>;
  let settings: Settings;

  beforeAll(async () => {
    world = await World.open();
    home = scratchFolder();
    client = clientOf(store);
    made = await makeBucket(store);
    settings = {
      SOURCE_S3_ENDPOINT: store.endpoint,
      SOURCE_S3_REGION: store.region,
      SOURCE_S3_ACCESS_KEY_ID: store.credentials.accessKeyId,
      SOURCE_S3_SECRET_ACCESS_KEY: store.credentials.secretAccessKey,
      SOURCE_S3_FORCE_PATH_STYLE: String(store.forcePathStyle),
    };
  });

  afterAll(async () => {
    await world.close();
    client.destroy();
    await made.remove();
    removeFolder(home);
  });

  const put = (key: string, bytes: string | Uint8Array) => putObject(client, made.bucket, key, bytes);
  const takingIn = (prefix: string, ...args: string[]) =>
    new TakingIn(world, `s3://${made.bucket}${prefix}`, join(home, 'report.csv'), args);

  test('imports all files below a prefix despite a kill, and leaves nothing on the disk', async () => {
    const files = 40;
    for (let n = 0; n < files; n += 1) await put(`media/uploads/${n % 3}/ü ${n}.png`, picture(40_000 + n));
    await put('media/uploads/large.png', Buffer.concat([png(), Buffer.alloc(30_000_000)]));
    await put('media/uploads/notes.txt', 'no picture');
    await put('media/uploads/.hidden/a.png', picture(1));
    await put('media/uploads/folder/', '');
    await put('media/uploads-of-others/a.png', picture(2));
    const { objects } = await bucketContents(client, made.bucket);
    const taking = takingIn('/media/uploads', '--folders');
    const dry = await taking.run(['--dry-run'], { settings });
    expect(dry).toMatchObject({ code: 1, json: { would_import: files + 1, refused: 1, skipped: 1 } });

    const running = taking.start([], settings);
    await until('some are imported', () => existsSync(taking.report) && taking.rows().length > 15);
    running.child.kill('SIGKILL');
    await running.exited;
    running.forget();
    mkdirSync(`${taking.report}.parts`, { recursive: true });
    writeFileSync(join(`${taking.report}.parts`, 'left-by-a-kill'), 'bytes');

    const { code, json } = await taking.run([], { settings });
    expect({ code, json }).toMatchObject({
      code: 1,
      json: { source: `s3://${made.bucket}/media/uploads/`, duplicates: 0, refused: 1, skipped: 1 },
    });
    expect(Number(at(json, 'imported')) + Number(at(json, 'earlier'))).toBe(files + 1);
    const rows = taking.rows().filter(({ status }) => status === 'imported');
    expect(new Set(rows.map(({ media_id }) => media_id)).size).toBe(files + 1);
    expect(taking.row('notes.txt')?.status).toBe('refused');
    const items = await allItems(world);
    expect(items).toHaveLength(files + 1);
    const { json: folders } = await world.call('GET /workspaces/{workspace}/media_library/folders');
    expect(at(folders, 'meta', 'total')).toBe(3);
    expect(readdirSync(home)).toEqual(['report.csv']);
    expect((await bucketContents(client, made.bucket)).objects).toEqual(objects);
  });

  test.each([
    [
      'a wrong secret key',
      { SOURCE_S3_SECRET_ACCESS_KEY: 'wrong' },
      "SOURCE_S3_SECRET_ACCESS_KEY: Can't use the bucket",
    ],
    ['an unknown access key', { SOURCE_S3_ACCESS_KEY_ID: 'unknown' }, "SOURCE_S3_ACCESS_KEY_ID: Can't use the bucket"],
    [
      'a missing access key',
      { SOURCE_S3_ACCESS_KEY_ID: undefined },
      'SOURCE_S3_ACCESS_KEY_ID: is missing; it is required with',
    ],
    [
      'an unreachable endpoint',
      { SOURCE_S3_ENDPOINT: 'http://127.0.0.1:1' },
      "SOURCE_S3_ENDPOINT: Can't use the bucket",
    ],
    [
      'an endpoint that is not a URL',
      { SOURCE_S3_ENDPOINT: 'nonsense' },
      'SOURCE_S3_ENDPOINT: must be an http or https URL',
    ],
  ])('fails with one line for %s', async (_, changed, message) => {
    const { code, json } = await takingIn('').run([], { settings: { ...settings, ...changed } });
    expect({ code, message: at(json, 'message') }).toEqual({ code: 1, message: expect.stringContaining(message) });
  });

  test('imports keys that are not valid paths, over more than one page of a listing', async () => {
    const odd = [
      'a//b.png',
      '../up.png',
      'x/../y.png',
      './z.png',
      '/root.png',
      'dir.png/',
      'line\nbreak.png',
      'sp ace+%2F.png',
    ];
    for (const [n, key] of odd.entries()) await put(`odd/${key}`, key.endsWith('/') ? '' : picture(50_000 + n));
    for (let n = 0; n < 1005; n += 1) await put(`odd/page/${n}.txt`, 'no picture');
    await put('odd/page/z.png', picture(60_000));
    const taking = new TakingIn(world, `s3://${made.bucket}/odd`, join(home, 'odd.csv'), [
      '--folders',
      '--exclude',
      '*.txt',
    ]);
    const done = await taking.run([], { settings });
    expect(done).toMatchObject({ code: 0, json: { imported: 8, refused: 0 } });
    expect(await taking.run([], { settings })).toMatchObject({ json: { imported: 0, earlier: 8 } });
  });

  test('fails with a reason for a missing bucket, an empty prefix or an invalid address', async () => {
    const messageOf = async (source: string) =>
      at((await new TakingIn(world, source, join(home, 'other.csv')).run([], { settings })).json, 'message');
    expect(await messageOf(`s3://${made.bucket}-not`)).toContain('there is no such bucket');
    expect(await messageOf(`s3://${made.bucket}/nothing`)).toBe(`There are no files in s3://${made.bucket}/nothing/`);
    expect(await messageOf('s3://')).toBe('s3://: must be s3://bucket or s3://bucket/prefix');
  });
});
