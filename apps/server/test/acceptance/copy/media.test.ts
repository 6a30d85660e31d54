import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bucketContents, clientOf, makeBucket, type RealS3, realS3 } from '@postshelf/testing/servers/s3';
import { filesBelow } from '../support/disk.ts';
import { hasFfmpeg } from '../support/ffmpeg.ts';
import { jpeg, mp4, png } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { settingsOf } from '../support/s3.ts';
import { command, jsonCommand, type Settings, spawnServer, startServer, unexpectedLines } from '../support/server.ts';
import { onDisk } from '../support/storage.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';

const s3 = await realS3('copying media by the command line');

const ITEMS = 20;
let world: World;
let media: string;
let args: readonly string[];
/** The full names of all objects. */
let objects: readonly string[];

beforeAll(async () => {
  world = await World.openAlone(onDisk);
  media = join(world.dataDir, 'media');
  args = ['copy', '--from-files', media, '--to-s3'];
  await world.store(file('clip.mp4', mp4()), file('one.jpg', jpeg()), file('Ünï 🐈 %41.png', png()));
  for (let n = 0; n < ITEMS - 3; n += 10) {
    await world.store(...Array.from({ length: Math.min(10, ITEMS - 3 - n) }, (_, i) => file(`${n + i}.png`, png())));
  }
  const presign = await world.call('POST /workspaces/{workspace}/media_contents/presign', {
    json: { files: [{ name: 'later.png', size: 10, mime: 'image/png' }] },
  });
  expect(presign.status).toBe(201);
  // A staged file may be removed a moment after the response.
  objects = filesBelow(media).filter((path) => !path.startsWith('.'));
  expect(objects).toHaveLength(hasFfmpeg ? ITEMS + 1 : ITEMS);
});

afterAll(() => world.close());

/** A new bucket, and access to its content. */
interface Bucket {
  readonly settings: Settings;
  /** The keys of all objects except for staged ones. */
  objects(): Promise<string[]>;
  write(key: string, bytes: Uint8Array): Promise<unknown>;
}

async function withBucket(store: RealS3, run: (bucket: Bucket) => Promise<void>): Promise<void> {
  const { bucket, remove } = await makeBucket(store);
  const client = clientOf(store);
  const { endpoint, region, credentials, forcePathStyle } = store;
  const writer = new Bun.S3Client({ endpoint, region, bucket, ...credentials, virtualHostedStyle: !forcePathStyle });
  const settings = { ...world.server.settings, ...settingsOf(store, bucket), S3_REDIRECT: 'false' };
  try {
    await run({
      settings,
      objects: async () => (await bucketContents(client, bucket)).objects.filter((key) => !key.startsWith('.')).sort(),
      write: (key, bytes) => writer.write(key, bytes),
    });
  } finally {
    client.destroy();
    await remove();
  }
}

describe.skipIf(!s3)('postshelf copy --from-files DIR --to-s3', () => {
  if (!s3) return;

  test('copies every object while the service runs, and the service can then use the bucket', () =>
    withBucket(s3, async ({ settings, objects: inBucket }) => {
      const report = await jsonCommand(args, settings);
      expect(report).toMatchObject({ objects: ITEMS + 1, hashes: true, problems: 0, examples: [] });
      expect(report.copied).toEqual({ objects: report.objects, bytes: report.bytes });
      expect(await inBucket()).toEqual([...objects]);
      expect(await jsonCommand(args, settings)).toEqual({ ...report, copied: { objects: 0, bytes: 0 } });

      const { PORT: _, ...moved } = settings;
      const server = await startServer(world.dataDir, moved);
      try {
        for (const key of objects) {
          const answer = await fetch(`${server.url}/files/${key.split('/').map(encodeURIComponent).join('/')}`);
          const bytes = new Uint8Array(await answer.arrayBuffer());
          expect({ key, status: answer.status, same: Bun.deepEquals(bytes, bytesOf(key)) }).toEqual({
            key,
            status: 200,
            same: true,
          });
        }
      } finally {
        await server.end();
      }
    }));

  test('continues with the missing objects after kill -9', () =>
    withBucket(s3, async ({ settings, objects: inBucket }) => {
      const copying = spawnServer(settings, args);
      await until('an object has arrived', async () => (await inBucket()).length > 0);
      copying.child.kill('SIGKILL');
      await copying.exited;
      copying.forget();
      const there = (await inBucket()).length;
      const report = await jsonCommand(args, settings);
      expect(report).toMatchObject({ objects: ITEMS + 1, copied: { objects: ITEMS + 1 - there }, problems: 0 });
      expect(await inBucket()).toEqual([...objects]);
    }));

  test('finds changed objects in the bucket, but with --no-hashes only those with another size', () =>
    withBucket(s3, async ({ settings, write }) => {
      await jsonCommand(args, settings);
      const [key = '', other = ''] = objects;
      const tampered = bytesOf(key).toReversed();
      await write(key, tampered);
      const { code, stdout } = await command([...args, '--json'], settings);
      const found = {
        at: 'target',
        key,
        problem: 'hash',
        found: new Bun.CryptoHasher('sha256').update(tampered).digest('hex'),
      };
      expect(code).toBe(1);
      expect(JSON.parse(stdout)).toMatchObject({ problems: 1, examples: [found] });
      expect(await command([...args, '--no-hashes'], settings)).toMatchObject({ code: 0 });

      await write(other, new Uint8Array(3));
      const sizes = await command([...args, '--no-hashes'], settings);
      expect(sizes.code).toBe(1);
      expect(sizes.stdout).toMatch(new RegExp(`${other} +size in the bucket: 3, should be ${bytesOf(other).length}`));
    }));

  test('accepts the bucket as an argument, and reports a damaged object', () =>
    withBucket(s3, async ({ settings, objects: inBucket }) => {
      const { S3_BUCKET = '', ...others } = settings;
      const [key = ''] = objects;
      const whole = bytesOf(key);
      const path = join(media, key);
      try {
        writeFileSync(path, whole.toReversed());
        const { code, stdout, stderr } = await command([...args, S3_BUCKET], others);
        expect({ code, complaints: unexpectedLines(stderr) }).toEqual({ code: 1, complaints: [] });
        expect(stdout).toContain(`${key}  hash in the folder: `);
        expect(stdout).toContain(`to ${S3_BUCKET}.`);
        expect(await inBucket()).toEqual(objects.slice(1));
      } finally {
        writeFileSync(path, whole);
      }
    }));
});

describe('postshelf copy --from-files fails with one line', () => {
  const unreachable = { S3_BUCKET: 'bucket', S3_ENDPOINT: 'http://127.0.0.1:1', S3_FORCE_PATH_STYLE: 'true' };
  test.each<readonly [string, () => readonly string[], Settings, RegExp]>([
    ['no bucket', () => args, {}, /S3_BUCKET: is missing/],
    [
      'no such folder',
      () => ['copy', '--from-files', '/nowhere', '--to-s3'],
      unreachable,
      /--from-files: There is no folder \/nowhere/,
    ],
    [
      'no database',
      () => args,
      { ...unreachable, DATABASE_URL: 'sqlite:/nowhere/postshelf.db' },
      /DATABASE_URL: there is no library here: there is no database/,
    ],
  ])('if there is %s', async (_, line, settings, complaint) => {
    const { code, stdout, stderr } = await command(line(), { ...world.server.settings, ...settings });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(complaint);
    expect(stderr.trimEnd()).not.toContain('\n');
  });
});

const bytesOf = (key: string): Uint8Array => new Uint8Array(readFileSync(join(media, key)));
