import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { parseUuid } from '@postshelf/domain';
import { outcomeOf } from '@postshelf/testing/outcomes';
import {
  bucketContents,
  clientOf,
  makeBucket,
  openS3Proxy,
  type ProxiedRequest,
  realS3,
  type S3Proxy,
} from '@postshelf/testing/servers/s3';
import { openS3, type S3 } from '../../../src/s3/index.ts';
import { KEY, MIB, publishText, randomBytes, readText, sha256, stageBytes, stageText } from '../../support/objects.ts';

const real = await realS3('stores that lack some requests of S3');

/** More than one part of a copy within the store. */
const LARGE = 130 * MIB;

const MARK = {
  library: parseUuid('01890a5d-ac96-774b-bcce-b302099a8057'),
  generation: 7,
  restoring: null,
};

const isConditionalWrite = ({ method, isConditional }: ProxiedRequest): boolean => isConditional && method !== 'GET';
const isPartCopy = ({ isCopy, url }: ProxiedRequest): boolean => isCopy && url.includes('partNumber=');

describe.skipIf(!real)('a store that answers 501', () => {
  let proxy: S3Proxy;
  let bucket: string;
  let s3: S3;
  let remove: () => Promise<void>;

  beforeEach(async () => {
    if (!real) return;
    ({ bucket, remove } = await makeBucket(real));
    proxy = await openS3Proxy(real.endpoint);
    s3 = await openS3({ ...real, bucket, endpoint: proxy.endpoint });
  });
  afterEach(async () => {
    s3.close();
    await proxy.close();
    await remove();
  });

  const lacks = (isMissing: (request: ProxiedRequest) => boolean): void => {
    proxy.decide = (request) => (isMissing(request) ? 'not_implemented' : 'pass');
  };

  async function expectLarge(): Promise<void> {
    if (!real) return;
    const bytes = randomBytes(LARGE);
    const staged = await stageBytes(s3.storage, bytes);
    await staged.publish(KEY);
    await staged.discard();
    const stored = await s3.storage.open(KEY);
    expect(sha256(await new Response(stored?.body()).bytes())).toBe(sha256(bytes));
    expect(await bucketContents(clientOf(real), bucket)).toEqual({ objects: [KEY], uploads: [] });
  }

  describe('to conditional writes', () => {
    beforeEach(() => lacks(isConditionalWrite));

    test('publishes an object, and replaces none', async () => {
      await publishText(s3.storage, KEY, 'first');
      const second = await stageText(s3.storage, 'second');
      expect(await outcomeOf(second.publish(KEY))).toThrow('exists');
      await second.discard();
      expect(await readText(s3.storage, KEY)).toBe('first');
    });

    test('publishes a large object', expectLarge);

    test("gets the library's mark, once", async () => {
      expect(await s3.marker.create(MARK)).toBe(true);
      expect(await s3.marker.create({ ...MARK, generation: 8 })).toBe(false);
      expect(await s3.marker.read()).toEqual(MARK);
    });
  });

  test('to copies of parts publishes a large object', async () => {
    lacks(isPartCopy);
    await expectLarge();
  });

  test('to both publishes a large object', async () => {
    lacks((request) => isConditionalWrite(request) || isPartCopy(request));
    await expectLarge();
  });
});
