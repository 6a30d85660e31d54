import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createServer } from 'node:net';
import { makeBucket, realS3, type S3Access } from '@postshelf/testing/servers/s3';
import { openS3, type S3Options } from '../../../src/s3/index.ts';
import { unavailableMessage } from '../../support/objects.ts';
import { openBucket } from '../../support/s3.ts';

const real = await realS3('opening S3 with wrong settings');

const CASES: readonly (readonly [string, (options: S3Options & S3Access) => S3Options, RegExp])[] = [
  ['a missing bucket', (good) => ({ ...good, bucket: `${good.bucket}-x` }), /there is no such bucket \(NoSuchBucket/],
  ['an invalid bucket name', (good) => ({ ...good, bucket: 'No_Bucket' }), /not a valid bucket name|no such bucket/],
  [
    'an unknown access key',
    (good) => ({ ...good, credentials: { ...good.credentials, accessKeyId: 'AKIAUNKNOWN' } }),
    /the access key is unknown \(InvalidAccessKeyId/,
  ],
  [
    'a wrong secret key',
    (good) => ({ ...good, credentials: { ...good.credentials, secretAccessKey: 'very-wrong-secret' } }),
    /the secret key is wrong \(SignatureDoesNotMatch/,
  ],
];

describe.skipIf(!real)('opening S3', () => {
  let opened: Awaited<ReturnType<typeof openBucket>>;
  let good: S3Options & S3Access;

  beforeAll(async () => {
    if (!real) return;
    opened = await openBucket(real);
    good = { ...real, bucket: opened.bucket };
  });
  afterAll(() => opened.close());

  test.each(CASES)('fails with a one-line error for %s', async (_, spoil, reason) => {
    const options = spoil(good);
    const error: unknown = await openS3(options).catch((thrown: unknown) => thrown);
    if (!(error instanceof Error)) throw new Error('Opening did not fail.');
    expect(error.message).toMatch(reason);
    expect(error.message).toContain(`"${options.bucket}"`);
    expect(error.message).toContain(good.endpoint);
    expect(error.message).not.toContain('\n');
    expectNoSecrets(error, options);
  });

  test('writes nothing to the bucket', async () => {
    (await openS3(good)).close();
    expect(await opened.storage.discardAbandoned(Date.now() + 60 * 60 * 1000)).toBe(0);
    expect(await Array.fromAsync(opened.storage.list())).toEqual([]);
  });

  test('is followed by checks that say that the bucket was deleted meanwhile', async () => {
    const { bucket, remove } = await makeBucket(good);
    const s3 = await openS3({ ...good, bucket });
    await remove();
    const error: unknown = await s3.storage.check().catch((thrown: unknown) => thrown);
    s3.close();
    expect(error).toMatchObject({
      problem: { code: 'unavailable' },
      cause: { message: `Can't use ${s3.place}: there is no such bucket (NoSuchBucket, HTTP 404).` },
    });
    expectNoSecrets(error, good);
  });

  test('succeeds while the store is unreachable, which check() reports', async () => {
    const s3 = await openS3({ ...good, endpoint: await nobodysEndpoint() });
    expect(await unavailableMessage(s3.storage.check())).toBe('The storage is unavailable.');
    s3.close();
  });
});

/** Expects no secret in the message, nor in anything else that a log might print about the error. */
function expectNoSecrets(error: unknown, { credentials }: S3Options): void {
  const printed = Bun.inspect(error, { depth: 10 });
  expect(printed).not.toContain(credentials?.secretAccessKey ?? '');
  expect(printed).not.toContain(credentials?.accessKeyId ?? '');
  expect(printed).not.toMatch(/AWS4-HMAC|Authorization/);
}

/** Returns a URL at which no server listens. */
async function nobodysEndpoint(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}
