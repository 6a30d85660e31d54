import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  type CORSRule,
  GetBucketCorsCommand,
  GetBucketLifecycleConfigurationCommand,
  type LifecycleRule,
  PutBucketCorsCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketPolicyCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { newUpload } from '@postshelf/testing/contracts/presign-storage/samples';
import { thrownBy } from '@postshelf/testing/outcomes';
import { clientOf, makeBucket, realS3 } from '@postshelf/testing/servers/s3';
import { type BucketRule, type BucketSetup, openBucketSetup, openS3, UnusableBucket } from '../../../src/s3/index.ts';

const PAGE = 'https://app.example.com';
const OTHER_PAGE = 'https://other.example.com';
const FOREIGN = 'https://evil.example';

const real = await realS3('setting up a bucket of S3');

describe.skipIf(!real)('setting up a bucket', () => {
  let bucket: string;
  let client: S3Client;
  let setup: BucketSetup;
  let remove: () => Promise<void>;

  beforeEach(async () => {
    if (!real) return;
    ({ bucket, remove } = await makeBucket(real));
    client = clientOf(real);
    setup = openBucketSetup({ ...real, bucket });
  });
  afterEach(async () => {
    setup.close();
    await remove();
    client.destroy();
  });

  const apply = async (origins: readonly string[] = [PAGE], dryRun = false) =>
    outcomes(await setup.apply({ origins, dryRun }));

  const corsRules = async (): Promise<CORSRule[]> =>
    (await client.send(new GetBucketCorsCommand({ Bucket: bucket }))).CORSRules ?? [];

  const lifecycleRules = async (): Promise<LifecycleRule[]> =>
    (await client.send(new GetBucketLifecycleConfigurationCommand({ Bucket: bucket }))).Rules ?? [];

  const putCors = (rules: CORSRule[]) =>
    client.send(new PutBucketCorsCommand({ Bucket: bucket, CORSConfiguration: { CORSRules: rules } }));

  const putLifecycle = (rules: LifecycleRule[]) =>
    client.send(
      new PutBucketLifecycleConfigurationCommand({ Bucket: bucket, LifecycleConfiguration: { Rules: rules } }),
    );

  /** Sends the preflight of a browser for an upload address; returns the status and the allowed origin. */
  async function preflight(
    origin: string,
    method = 'PUT',
    headersSent = 'content-type',
  ): Promise<readonly [number, string | null]> {
    if (!real) throw new Error('There is no store.');
    const s3 = await openS3({ ...real, bucket });
    const { url } = await s3.presign.address(newUpload());
    s3.close();
    const headers = {
      Origin: origin,
      'Access-Control-Request-Method': method,
      'Access-Control-Request-Headers': headersSent,
    };
    const response = await fetch(url, { method: 'OPTIONS', headers });
    return [response.status, response.headers.get('access-control-allow-origin')];
  }

  test('allows requests from pages of the given origins and from no others', async () => {
    expect((await preflight(PAGE))[1]).toBeNull();
    expect(await apply([PAGE, OTHER_PAGE])).toEqual({ cors: 'applied', lifecycle: 'applied' });
    for (const origin of [PAGE, OTHER_PAGE]) {
      for (const method of ['PUT', 'GET', 'HEAD']) expect(await preflight(origin, method)).toEqual([200, origin]);
      expect((await preflight(origin, 'DELETE'))[1]).toBeNull();
    }
    for (const origin of [FOREIGN, 'null', `${PAGE}.evil.example`]) expect((await preflight(origin))[1]).toBeNull();
  });

  test('allows all origins with *', async () => {
    await apply(['*']);
    expect((await preflight(FOREIGN))[0]).toBe(200);
  });

  test('allows a page to send a file, and to read its ETag, ranges, size and name', async () => {
    if (!real) return;
    await apply();
    const s3 = await openS3({ ...real, bucket });
    const { url, headers } = await s3.presign.address(newUpload({ size: 3 }));
    s3.close();
    const response = await fetch(url, { method: 'PUT', headers: { ...headers, Origin: PAGE }, body: 'abc' });
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBe(PAGE);
    const exposed = response.headers.get('access-control-expose-headers')?.toLowerCase() ?? '';
    for (const name of ['etag', 'accept-ranges', 'content-range', 'content-length', 'content-disposition'])
      expect(exposed).toContain(name);
    expect(response.headers.get('etag')).not.toBeNull();
  });

  test('allows a page to send the headers that upload libraries add', async () => {
    await apply();
    for (const names of ['range', 'cache-control,content-type,x-requested-with'])
      expect([names, ...(await preflight(PAGE, 'PUT', names))]).toEqual([names, 200, PAGE]);
  });

  test('aborts abandoned multipart uploads after a week, in the whole bucket', async () => {
    await apply();
    const [rule, ...more] = await lifecycleRules();
    expect(more).toEqual([]);
    expect(rule).toMatchObject({ Status: 'Enabled', AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 } });
    expect(rule?.Prefix || rule?.Filter?.Prefix || '').toBe('');
  });

  test('changes nothing the second time', async () => {
    await apply([PAGE, OTHER_PAGE]);
    const before = [await corsRules(), await lifecycleRules()];
    expect(await apply([OTHER_PAGE, PAGE])).toEqual({ cors: 'unchanged', lifecycle: 'unchanged' });
    expect([await corsRules(), await lifecycleRules()]).toEqual(before);
  });

  test('replaces its own rule when the origins change', async () => {
    await apply([PAGE]);
    expect(await apply([OTHER_PAGE])).toEqual({ cors: 'applied', lifecycle: 'unchanged' });
    expect(await corsRules()).toHaveLength(1);
    expect((await preflight(PAGE))[1]).toBeNull();
    expect(await preflight(OTHER_PAGE)).toEqual([200, OTHER_PAGE]);
  });

  test("keeps the operator's own rules unchanged and in order", async () => {
    const ownCors: CORSRule[] = [
      { ID: 'website', AllowedOrigins: ['https://www.example.com'], AllowedMethods: ['GET'], MaxAgeSeconds: 60 },
      {
        AllowedOrigins: ['https://*.partner.example'],
        AllowedMethods: ['HEAD'],
        AllowedHeaders: ['*'],
        ExposeHeaders: ['x-own'],
      },
    ];
    const ownLifecycle: LifecycleRule[] = [
      { ID: 'logs', Status: 'Enabled', Filter: { Prefix: 'logs/' }, Expiration: { Days: 3 } },
      {
        ID: 'tagged',
        Status: 'Disabled',
        Filter: { And: { Prefix: 'old/', Tags: [{ Key: 'keep', Value: 'no' }] } },
        NoncurrentVersionExpiration: { NoncurrentDays: 9 },
      },
      { ID: 'parts', Status: 'Enabled', Prefix: 'x/', AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } },
    ];
    await putCors(ownCors);
    await putLifecycle(ownLifecycle);
    const [cors, lifecycle] = [await corsRules(), await lifecycleRules()];
    expect(await apply()).toEqual({ cors: 'applied', lifecycle: 'applied' });
    expect((await corsRules()).slice(0, 2)).toEqual(cors);
    expect(await corsRules()).toHaveLength(3);
    const after = await lifecycleRules();
    expect(after).toHaveLength(4);
    for (const rule of lifecycle) expect(after).toContainEqual(rule);
    expect(await preflight(PAGE)).toEqual([200, PAGE]);
  });

  test('writes nothing if other rules have the same effect', async () => {
    const [cors] = await setup.apply({ origins: [PAGE], dryRun: true });
    await putCors([{ ...(cors?.rule as CORSRule), ID: 'by hand' }]);
    await putLifecycle([
      {
        ID: 'own',
        Status: 'Enabled',
        Filter: { Prefix: '' },
        AbortIncompleteMultipartUpload: { DaysAfterInitiation: 2 },
      },
    ]);
    expect(await apply()).toEqual({ cors: 'unchanged', lifecycle: 'unchanged' });
  });

  test('reports a rule that deletes media by their age, and keeps it', async () => {
    await putLifecycle([{ ID: 'old', Status: 'Enabled', Filter: { Prefix: '' }, Expiration: { Days: 30 } }]);
    const [, lifecycle] = await setup.apply({ origins: [PAGE], dryRun: false });
    expect(lifecycle).toMatchObject({
      result: { outcome: 'applied' },
      harmful: ['the rule old deletes media by their age'],
    });
    expect((await lifecycleRules()).map(({ ID }) => ID)).toContain('old');
  });

  test('changes nothing in a dry run', async () => {
    expect(await apply([PAGE], true)).toEqual({ cors: 'planned', lifecycle: 'planned' });
    expect(await thrownBy(corsRules())).toMatchObject({ name: 'NoSuchCORSConfiguration' });
    expect(await thrownBy(lifecycleRules())).toMatchObject({ name: 'NoSuchLifecycleConfiguration' });
  });

  test('leaves the CORS rules unchanged if no origins are given', async () => {
    await apply([PAGE]);
    expect(await apply([])).toEqual({ cors: 'not_wanted', lifecycle: 'unchanged' });
    expect(await preflight(PAGE)).toEqual([200, PAGE]);
  });

  test('reports the rule that the access key is not allowed to change, and applies the other one', async () => {
    const Policy = JSON.stringify({
      Version: '2012-10-17',
      Statement: [
        { Effect: 'Deny', Principal: '*', Action: ['s3:PutBucketCORS'], Resource: [`arn:aws:s3:::${bucket}`] },
      ],
    });
    await client.send(new PutBucketPolicyCommand({ Bucket: bucket, Policy }));
    const rules = await setup.apply({ origins: [PAGE], dryRun: false });
    expect(outcomes(rules)).toEqual({ cors: 'not_allowed', lifecycle: 'applied' });
    expect(rules[0]?.result).toMatchObject({ reason: expect.stringMatching(/access key.*AccessDenied, HTTP 403/) });
  });

  test.each([
    ['a missing bucket', { bucket: 'no-such-bucket' }, 'bucket', /no such bucket/],
    ['a wrong secret', { credentials: { secretAccessKey: 'wrong' } }, 'secretAccessKey', /secret key is wrong/],
    ['an unreachable store', { endpoint: 'http://127.0.0.1:9' }, 'endpoint', /out of reach/],
  ] as const)('fails with a one-line error for %s', async (_, spoilt, option, reason) => {
    if (!real) return;
    const credentials = { ...real.credentials, ...('credentials' in spoilt ? spoilt.credentials : {}) };
    const wrong = openBucketSetup({ ...real, bucket, ...spoilt, credentials });
    const error: unknown = await wrong.apply({ origins: [PAGE], dryRun: false }).catch((thrown: unknown) => thrown);
    wrong.close();
    if (!(error instanceof UnusableBucket)) throw new Error('The setup did not fail.');
    expect(error.option).toBe(option);
    expect(error.message).toMatch(reason);
    expect(error.message).not.toContain('\n');
  });
});

const outcomes = (rules: readonly BucketRule[]) =>
  Object.fromEntries(rules.map(({ name, result }) => [name, result.outcome]));
