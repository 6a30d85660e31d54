import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import {
  PutBucketCorsCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketPolicyCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { newUpload } from '@postshelf/testing/contracts/presign-storage/samples';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { bucketContents, clientOf, makeBucket, realS3, type S3Access } from '@postshelf/testing/servers/s3';
import { openBucketSetup, openS3 } from '../../../src/s3/index.ts';
import { HOUR, KEY, MIB, publishText, readText, stageBytes } from '../../support/objects.ts';

const guide = await Bun.file(join(import.meta.dir, '../../../../../docs/operating/bucket.md')).text();
const blocks = Array.from(guide.matchAll(/^```json\n([\s\S]*?)^```$/gm), ([, text = '']) => text);

/** Returns the JSON block of the operators' guide that contains the text. */
function documented(text: string): string {
  const [block, ...more] = blocks.filter((each) => each.includes(text));
  if (block === undefined || more.length > 0)
    throw new Error(`No single block of docs/operating/bucket.md contains ${text}.`);
  return block;
}

const real = await realS3("what the operators' guide says of policies and rules");
const gateway = real?.gateway;

describe.skipIf(!real || !gateway)('the operators’ guide', () => {
  let bucket: string;
  let client: S3Client;
  let remove: () => Promise<void>;
  let given = '';
  /** The name of a new user without rights. */
  const user = `least-${crypto.randomUUID()}`;
  let credentials: S3Access['credentials'];

  beforeAll(async () => {
    if (gateway) credentials = await gateway.makeUser(user);
  });
  beforeEach(async () => {
    if (!real) return;
    ({ bucket, remove } = await makeBucket(real));
    client = clientOf(real);
  });
  afterEach(async () => {
    await remove();
    client.destroy();
  });

  const putPolicy = (text: string) => client.send(new PutBucketPolicyCommand({ Bucket: bucket, Policy: text }));
  const forBucket = (policy: string): string => policy.replaceAll('arn:aws:s3:::media', `arn:aws:s3:::${bucket}`);

  /** Gives the user a policy with the rights that the guide lists, except for the given action, if there is one. */
  async function userWithRights(withoutAction?: string): Promise<S3Access> {
    if (!real) throw new Error('There is no gateway.');
    const policy = forBucket(documented('PostshelfObjects')).replace(
      /arn:aws:iam::\d+:user\/postshelf/g,
      `arn:aws:iam:::user/${user}`,
    );
    given = policy;
    await putPolicy(withoutAction ? policy.replace(`"${withoutAction}"`, '"s3:GetBucketLocation"') : policy);
    return { ...real, credentials };
  }

  test('lists rights that suffice for everything that the service does', async () => {
    const s3 = await openS3({ ...(await userWithRights()), bucket });
    try {
      expect(s3.outOfReach).toBeNull();
      await s3.storage.check();
      await publishText(s3.storage, KEY, 'text');
      const large = await stageBytes(s3.storage, new Uint8Array(20 * MIB));
      await large.publish(KEY.replace('photo', 'large'));
      await large.discard();
      expect(await readText(s3.storage, KEY)).toBe('text');
      expect(await s3.storage.open(KEY.replace('photo', 'none'))).toBeNull();
      const presigned = newUpload({ size: 3 });
      const { url, headers } = await s3.presign.address(presigned);
      expect((await fetch(url, { method: 'PUT', headers, body: 'abc' })).status).toBe(200);
      await (await s3.presign.take(presigned.id))?.discard();
      expect((await fetch(await s3.links.linkTo(KEY, { method: 'GET', expiresIn: 60 }))).status).toBe(200);
      expect(await Array.fromAsync(s3.presign.list())).toHaveLength(1);
      await s3.presign.purge(presigned.id);
      const broken = s3.storage.stage(breaking(9 * MIB), { limit: 10 * MIB });
      expect(await outcomeOf(broken)).toThrow('ended early');
      await s3.storage.discardAbandoned(Date.now() + HOUR);
      for await (const { key } of s3.storage.list()) await s3.storage.purge(key);
      expect(await Array.fromAsync(s3.storage.list())).toEqual([]);
    } finally {
      s3.close();
    }
  });

  test.each([
    ['s3:ListBucket', 'is not allowed to list it'],
    ['s3:PutObject', 'is not allowed to write to it'],
    ['s3:DeleteObject', 'is not allowed to delete in it'],
  ])('lists only necessary rights: without %s the start fails with an error naming it', async (action, sentence) => {
    const access = await userWithRights(action);
    expect(await outcomeOf(openS3({ ...access, bucket }))).toThrow(
      `the access key ${sentence} (${action}) (AccessDenied`,
    );
    // The failed start leaves no object behind.
    expect((await bucketContents(client, bucket)).objects).toEqual([]);
  });

  // The gateway lets users read the objects that they have written, unless a policy denies it.
  test('lists the right to read, without which the start fails with an error naming it', async () => {
    if (!real) return;
    const Statement = [
      { Effect: 'Deny', Principal: '*', Action: 's3:GetObject', Resource: `arn:aws:s3:::${bucket}/*` },
    ];
    await putPolicy(JSON.stringify({ Version: '2012-10-17', Statement }));
    expect(await outcomeOf(openS3({ ...real, bucket }))).toThrow(
      'the access key is not allowed to read in it (s3:GetObject) (AccessDenied',
    );
    expect((await bucketContents(client, bucket)).objects).toEqual([]);
  });

  test('lists the right to delete, and its revocation at run time is reported', async () => {
    const s3 = await openS3({ ...(await userWithRights()), bucket });
    try {
      await s3.storage.check();
      await publishText(s3.storage, KEY, 'text');
      const whole = given;
      await putPolicy(whole.replace('"s3:DeleteObject"', '"s3:GetBucketLocation"'));
      expect(await outcomeOf(s3.storage.purge(KEY))).toThrow('unavailable');
      const refusal: unknown = await s3.storage.check().catch((error: unknown) => error);
      expect(refusal).toMatchObject({
        problem: { code: 'unavailable' },
        cause: { message: expect.stringContaining('(s3:DeleteObject)') },
      });
      // An attempt to move an object doesn't leave a copy of it either.
      expect(await outcomeOf(s3.trash.add(KEY, 1))).toThrow('unavailable');
      expect((await bucketContents(client, bucket)).objects).toEqual([KEY]);
      expect(await readText(s3.storage, KEY)).toBe('text');
      await putPolicy(whole);
      await s3.storage.check();
      await s3.storage.purge(KEY);
    } finally {
      s3.close();
    }
  });

  test('has a policy that makes media readable for everyone but keeps unconfirmed uploads private', async () => {
    if (!real) return;
    await putPolicy(forBucket(documented('PublicMedia')));
    const s3 = await openS3({ ...real, bucket });
    await publishText(s3.storage, KEY, 'text');
    const presigned = newUpload({ size: 3 });
    const { url, headers } = await s3.presign.address(presigned);
    await fetch(url, { method: 'PUT', headers, body: 'abc' });
    const staged = await stageBytes(s3.storage, new Uint8Array(3));
    s3.close();
    const status = async (path: string) => (await fetch(`${real.endpoint}/${bucket}/${path}`)).status;
    expect([await status(KEY), await status(`.uploads/${presigned.id}`), await status('')]).toEqual([200, 403, 403]);
    await staged.discard();
  });

  test('has rules that match what the setup applies', async () => {
    if (!real) return;
    await client.send(
      new PutBucketCorsCommand({ Bucket: bucket, CORSConfiguration: JSON.parse(documented('CORSRules')) }),
    );
    const LifecycleConfiguration = JSON.parse(documented('AbortIncompleteMultipartUpload'));
    await client.send(new PutBucketLifecycleConfigurationCommand({ Bucket: bucket, LifecycleConfiguration }));
    const setup = openBucketSetup({ ...real, bucket });
    const rules = await setup.apply({ origins: ['https://app.example.com'], dryRun: true });
    setup.close();
    expect(rules.map(({ result }) => result.outcome)).toEqual(['unchanged', 'unchanged']);
    expect([{ CORSRules: [rules[0]?.rule] }, { Rules: [rules[1]?.rule] }]).toEqual([
      JSON.parse(documented('CORSRules')),
      LifecycleConfiguration,
    ]);
  });
});

async function* breaking(size: number): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < size; sent += 100_000) yield new Uint8Array(100_000);
  throw new Error('The body ended early.');
}
