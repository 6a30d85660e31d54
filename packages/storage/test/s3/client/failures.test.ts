import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createSelfSigned } from '@postshelf/testing/certificates';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { openBucketSetup, openS3, type S3 } from '../../../src/s3/index.ts';
import { KEY, stageText, unavailableMessage } from '../../support/objects.ts';

const options = {
  region: 'x',
  bucket: 'bucket',
  forcePathStyle: true,
  credentials: { accessKeyId: 'AKIATESTONLY', secretAccessKey: 'a-secret-for-tests-only' },
};

/** The answer of a fake store to every request after the start. */
type Answer = () => Response;

const failure =
  (status: number, code: string): Answer =>
  () =>
    new Response(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>No.</Message></Error>`, {
      status,
      headers: { 'Content-Type': 'application/xml' },
    });

const UNAVAILABLE = 'The storage is unavailable.';

const FAILURES: readonly (readonly [string, Answer, string])[] = [
  ['a fault of its own', failure(500, 'InternalError'), UNAVAILABLE],
  ['a page of a proxy', () => new Response('<html>Bad gateway', { status: 502 }), UNAVAILABLE],
  ['503 Slow Down', failure(503, 'SlowDown'), UNAVAILABLE],
  ['too many requests', failure(429, 'TooManyRequests'), UNAVAILABLE],
  ['that the request was too slow', failure(400, 'RequestTimeout'), UNAVAILABLE],
  ['that access is denied', failure(403, 'AccessDenied'), UNAVAILABLE],
  ['that the access key is no longer known', failure(403, 'InvalidAccessKeyId'), UNAVAILABLE],
  ['that the bucket is gone', failure(404, 'NoSuchBucket'), UNAVAILABLE],
  ['that a quota is used up', failure(403, 'QuotaExceeded'), 'The storage is full.'],
  ['that its disks are full', failure(507, 'XMinioStorageFull'), 'The storage is full.'],
];

/** Opens a fake store that fails every request after the start, and expects each operation to be unavailable. */
async function expectUnavailable(what: string, failing: Answer, message: string): Promise<void> {
  let answer: Answer = () => new Response('<ListBucketResult/>');
  await using server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => answer() });
  const s3 = await openS3({ ...options, endpoint: server.url.origin });
  answer = failing;
  const works = [stageText(s3.storage, 'text'), Array.fromAsync(s3.storage.list()), s3.storage.purge(KEY)];
  for (const outcome of await Promise.allSettled(works)) {
    const error: unknown = outcome.status === 'rejected' ? outcome.reason : null;
    expect([what, await unavailableMessage(Promise.reject(error))]).toEqual([what, message]);
    const printed = Bun.inspect(error, { depth: 10 });
    for (const secret of Object.values(options.credentials)) expect(printed).not.toContain(secret);
    expect(printed).not.toMatch(/AWS4-HMAC|X-Amz-Signature/i);
  }
  s3.close();
}

describe('an S3 store', () => {
  let server: ReturnType<typeof Bun.serve>;
  let answer: Answer = () => new Response();
  let requests: string[];
  let s3: S3;

  beforeEach(async () => {
    requests = [];
    answer = () => new Response('<ListBucketResult/>', { headers: { ETag: '"etag"' } });
    server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: async (request) => {
        await request.arrayBuffer();
        requests.push(`${request.method} ${new URL(request.url).pathname}`);
        return answer();
      },
    });
    s3 = await openS3({ ...options, endpoint: server.url.origin });
    requests = [];
  });
  afterEach(async () => {
    s3.close();
    await server.stop(true);
  });

  test('that fails or refuses access is unavailable, and the error contains no secret', async () => {
    await Promise.all(FAILURES.map(([what, failing, message]) => expectUnavailable(what, failing, message)));
  });

  test('that returns only errors gets each request three times', async () => {
    answer = failure(500, 'InternalError');
    await unavailableMessage(s3.storage.purge(KEY));
    expect(requests).toHaveLength(3);
    requests = [];
    await unavailableMessage(stageText(s3.storage, 'text'));
    expect(requests.filter((request) => request.startsWith('PUT'))).toHaveLength(3);
  });

  test('that returns one error gets the request again', async () => {
    let faults = 1;
    const healthy = answer;
    answer = () => (faults-- > 0 ? failure(500, 'InternalError')() : healthy());
    await s3.storage.purge(KEY);
    faults = 1;
    await stageText(s3.storage, 'text');
  });

  test('that reports a request as invalid causes an error, not a refusal', async () => {
    answer = failure(400, 'InvalidArgument');
    expect(await outcomeOf(s3.storage.purge(KEY))).toThrow('InvalidArgument (HTTP 400)');
    expect(requests).toHaveLength(1);
  });

  test('whose certificate is not accepted is named as such, with a remedy', async () => {
    const tls = await createSelfSigned(['127.0.0.1']);
    await using secured = Bun.serve({ hostname: '127.0.0.1', port: 0, tls, fetch: () => new Response() });
    const setup = openBucketSetup({ ...options, endpoint: secured.url.origin });
    expect(await outcomeOf(setup.apply({ origins: [], dryRun: true }))).toThrow(
      /: the server's certificate is not accepted \(.*\); .* NODE_EXTRA_CA_CERTS/,
    );
    setup.close();
  });

  test('that returns more than the requested range causes an error', async () => {
    const staged = await stageText(s3.storage, 'text');
    answer = () => new Response('text, and far more than that', { headers: { ETag: '"etag"' } });
    expect(await outcomeOf(staged.read(0, 4))).toThrow();
  });
});
