import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import {
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { bucketContents, clientOf, emptyBucket, makeBucket, realS3 } from '@postshelf/testing/servers/s3';
import { openS3 } from '../../../src/s3/index.ts';
import { HOUR, KEY, publishText, readText, stageText } from '../../support/objects.ts';

const THEN = 1_790_000_000_000;
const trashed = (at: number): string => `.trash/${at}/${KEY}`;

const real = await realS3('the trash of a bucket');
const made = real && (await makeBucket(real));
const Bucket = made?.bucket ?? '';
const opened = real && (await openS3({ ...real, bucket: Bucket }));

describe.skipIf(!opened)('the trash of a bucket', () => {
  if (!real || !opened) return;
  const { storage, trash } = opened;
  const client = clientOf(real);
  const objects = async (): Promise<readonly string[]> => (await bucketContents(client, Bucket)).objects;
  const put = (Key: string) => client.send(new PutObjectCommand({ Bucket, Key, Body: 'foreign' }));

  beforeEach(() => emptyBucket(client, Bucket));
  afterAll(async () => {
    opened.close();
    client.destroy();
    await made?.remove();
  });

  const details = async () => {
    const { ContentType, CacheControl } = await client.send(new HeadObjectCommand({ Bucket, Key: KEY }));
    return { ContentType, CacheControl };
  };

  test('is in a folder next to the objects, and a restored object keeps its metadata', async () => {
    await publishText(storage, KEY, 'bytes');
    const before = await details();
    await trash.add(KEY, THEN);
    expect(await objects()).toEqual([trashed(THEN)]);
    await trash.restore({ key: KEY, trashedAt: THEN });
    expect(await objects()).toEqual([KEY]);
    expect(await details()).toEqual(before);
    expect(before.ContentType).toBe('image/jpeg');
  });

  test('keeps the type of an object that is hidden, trashed and restored, whatever its key suggests', async () => {
    await publishText(storage, KEY, 'bytes', 'image/png');
    const before = await details();
    expect(before.ContentType).toBe('image/png');
    await storage.hide(KEY);
    await storage.show(KEY);
    expect(await details()).toEqual(before);
    await storage.hide(KEY);
    await trash.add(KEY, THEN);
    await trash.restore({ key: KEY, trashedAt: THEN });
    expect(await details()).toEqual(before);
  });

  test('accepts hidden objects, even if a killed process has left a visible copy as well', async () => {
    const hidden = `.trash/hidden/${KEY}`;
    const copy = (from: string, Key: string) =>
      client.send(new CopyObjectCommand({ Bucket, Key, CopySource: `${Bucket}/${from}` }));
    const isHidden = async () => (await Array.fromAsync(storage.list())).map((listed) => listed.isHidden ?? false);
    await publishText(storage, KEY, 'bytes');
    expect(await isHidden()).toEqual([false]);
    await storage.hide(KEY);
    expect(await objects()).toEqual([hidden]);
    expect(await isHidden()).toEqual([true]);
    // A killed process may leave this copy behind.
    await copy(hidden, KEY);
    await storage.show(KEY);
    // The hidden copy remains, because a running `hide` may still remove the visible object.
    expect(await objects()).toEqual([hidden, KEY]);
    await storage.hide(KEY);
    expect(await objects()).toEqual([hidden]);
    await storage.purge(KEY);
    expect(await objects()).toEqual([]);
    await publishText(storage, KEY, 'bytes');
    await storage.hide(KEY);
    expect(await trash.add(KEY, THEN)).toBe(true);
    expect(await objects()).toEqual([trashed(THEN)]);
    expect(await Array.fromAsync(trash.list())).toMatchObject([{ key: KEY, trashedAt: THEN }]);
  });

  test('keeps an object hidden when its bytes are replaced, and can hide a visible object with new bytes', async () => {
    const hidden = `.trash/hidden/${KEY}`;
    const replace = async (text: string) => (await stageText(storage, text)).replace(KEY);
    await publishText(storage, KEY, 'damaged');
    await storage.hide(KEY);
    await replace('repaired');
    expect(await objects()).toEqual([hidden]);
    expect(await readText(storage, KEY)).toBe('repaired');
    await storage.show(KEY);
    await replace('repaired again');
    await storage.hide(KEY);
    expect(await objects()).toEqual([hidden]);
    expect(await readText(storage, KEY)).toBe('repaired again');
    await storage.purge(KEY);
  });

  test('loses no object that is hidden and shown concurrently', async () => {
    for (let round = 0; round < 10; round += 1) {
      await publishText(storage, KEY, 'bytes');
      await Promise.all([storage.hide(KEY), storage.show(KEY), Bun.sleep(round).then(() => storage.show(KEY))]);
      await storage.show(KEY);
      expect(await objects()).toContain(KEY);
      expect(await readText(storage, KEY)).toBe('bytes');
      await storage.purge(KEY);
    }
  });

  test('works after a kill between the copy and the removal, both when adding and restoring an object', async () => {
    const copy = (from: string, Key: string) =>
      client.send(new CopyObjectCommand({ Bucket, Key, CopySource: `${Bucket}/${from}` }));
    await publishText(storage, KEY, 'bytes');
    await copy(KEY, trashed(THEN));
    expect(await trash.restore({ key: KEY, trashedAt: THEN })).toBe('object_there');
    expect(await trash.add(KEY, THEN + 1)).toBe(true);
    expect(await objects()).toEqual([trashed(THEN), trashed(THEN + 1)]);
    await copy(trashed(THEN + 1), KEY);
    expect(await trash.restore({ key: KEY, trashedAt: THEN + 1 })).toBe('object_there');
    expect(await trash.purgeBefore(THEN + 2)).toBe(2);
    expect(await readText(storage, KEY)).toBe('bytes');
    expect(await objects()).toEqual([KEY]);
  });

  test('ignores objects whose keys are not those of trashed objects', async () => {
    await publishText(storage, KEY, 'bytes');
    await trash.add(KEY, THEN);
    const foreign = [
      '.trash/notes.txt',
      `.trash/007/${KEY}`,
      `.trash/-1/${KEY}`,
      `.trash/${THEN}/a/b/c.jpg`,
      '.trash//x',
    ];
    for (const key of foreign) await put(key);
    expect(await Array.fromAsync(trash.list())).toEqual([{ key: KEY, size: 5, trashedAt: THEN }]);
    expect(await trash.purgeBefore(Number.MAX_SAFE_INTEGER)).toBe(1);
    expect(await objects()).toEqual(foreign.toSorted());
  });

  test('leaves the parts of an interrupted copy until abandoned bytes are discarded', async () => {
    await client.send(new CreateMultipartUploadCommand({ Bucket, Key: trashed(THEN) }));
    expect(await storage.discardAbandoned(Date.now() - HOUR)).toBe(0);
    expect(await storage.discardAbandoned(Date.now() + HOUR)).toBe(1);
    expect(await bucketContents(client, Bucket)).toEqual({ objects: [], uploads: [] });
  });
});
