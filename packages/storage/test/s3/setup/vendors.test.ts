import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { type BucketRule, openBucketSetup } from '../../../src/s3/index.ts';

/** The answers of other vendors' stores, according to their documentation and users. */
interface Vendor {
  /** Answers a request for `cors` or `lifecycle`. Returns null to answer as S3 does. */
  readonly answer: (method: string, which: string, body: string) => Response | null;
  /** The configurations that the bucket has at the beginning. */
  readonly standing?: Readonly<Record<string, string>>;
}

const failure = (status: number, code: string): Response =>
  new Response(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>No.</Message></Error>`, { status });

const lifecycle = (rules: string): string =>
  `<?xml version="1.0"?><LifecycleConfiguration>${rules}</LifecycleConfiguration>`;

/** A rule with the element `DelMarkerExpiration`, which only MinIO has. */
const MINIO_RULE =
  '<Rule><ID>own</ID><Status>Enabled</Status><Expiration><Days>3</Days></Expiration>' +
  '<DelMarkerExpiration><Days>9</Days></DelMarkerExpiration></Rule>';

const OLD_RULE =
  '<Rule><ID>old</ID><Prefix>logs/</Prefix><Status>Enabled</Status><Expiration><Days>3</Days></Expiration></Rule>';

describe('setting up a bucket of another vendor', () => {
  let server: ReturnType<typeof Bun.serve>;
  let vendor: Vendor;
  let written: { which: string; body: string; headers: Headers }[];

  beforeEach(() => {
    written = [];
    const standing = new Map<string, string>();
    let isFresh = true;
    server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: async (request) => {
        if (isFresh) for (const [name, text] of Object.entries(vendor.standing ?? {})) standing.set(name, text);
        isFresh = false;
        const which = new URL(request.url).searchParams.has('cors') ? 'cors' : 'lifecycle';
        const body = await request.text();
        if (request.method === 'PUT') written.push({ which, body, headers: request.headers });
        const answer = vendor.answer(request.method, which, body);
        if (answer) return answer;
        if (request.method === 'PUT') {
          standing.set(which, body);
          return new Response();
        }
        const found = standing.get(which);
        const headers = { 'x-amz-transition-default-minimum-object-size': 'varies_by_storage_class' };
        if (found !== undefined) return new Response(found, { headers });
        return failure(404, which === 'cors' ? 'NoSuchCORSConfiguration' : 'NoSuchLifecycleConfiguration');
      },
    });
  });
  afterEach(() => server.stop(true));

  const apply = async (): Promise<readonly BucketRule[]> => {
    const setup = openBucketSetup({
      endpoint: server.url.origin,
      region: 'x',
      bucket: 'bucket',
      forcePathStyle: true,
      credentials: { accessKeyId: 'AKIATESTONLY', secretAccessKey: 'a-secret-for-tests-only' },
    });
    try {
      return await setup.apply({ origins: ['https://app.example.com'], dryRun: false });
    } finally {
      setup.close();
    }
  };
  const outcomes = (rules: readonly BucketRule[]): string[] => rules.map(({ result }) => result.outcome);

  test.each<readonly [string, Vendor['answer'], readonly string[]]>([
    ['without CORS rules (MinIO)', putOf('cors', 501, 'NotImplemented'), ['unsupported', 'applied']],
    [
      'that finds the lifecycle rule malformed (MinIO)',
      putOf('lifecycle', 400, 'MalformedXML'),
      ['applied', 'unsupported'],
    ],
    ['that supports neither kind of rule', () => failure(501, 'NotImplemented'), ['unsupported', 'unsupported']],
    ['that rejects the method', () => failure(405, 'MethodNotAllowed'), ['unsupported', 'unsupported']],
    ['whose access key may not change rules', () => failure(403, 'AccessDenied'), ['not_allowed', 'not_allowed']],
    [
      'that drops the lifecycle rule (MinIO)',
      (method, which) => (method === 'PUT' && which === 'lifecycle' ? new Response() : null),
      ['applied', 'unsupported'],
    ],
  ])('applies supported rules and reports the others for a store %s', async (_, answer, expected) => {
    vendor = { answer };
    const rules = await apply();
    expect(outcomes(rules)).toEqual([...expected]);
    for (const { result, rule } of rules) {
      if (!('reason' in result)) continue;
      expect(result.reason).not.toContain('\n');
      expect(rule).not.toBeNull();
    }
  });

  test('fails for a store that returns an error', async () => {
    vendor = { answer: () => failure(500, 'InternalError') };
    expect(await outcomeOf(apply())).toThrow('InternalError, HTTP 500');
  });

  test('does not replace rules with vendor-specific elements', async () => {
    vendor = { answer: () => null, standing: { lifecycle: lifecycle(MINIO_RULE) } };
    const rules = await apply();
    expect(outcomes(rules)).toEqual(['applied', 'not_safe']);
    expect(rules[1]?.result).toMatchObject({ reason: expect.stringContaining('DelMarkerExpiration') });
    expect(written.map(({ which }) => which)).toEqual(['cors']);
  });

  test('adds a rule in the older style and keeps the other rules (AWS)', async () => {
    vendor = { answer: () => null, standing: { lifecycle: lifecycle(OLD_RULE) } };
    expect(outcomes(await apply())).toEqual(['applied', 'applied']);
    const [, put] = written;
    expect(put?.body).toContain('<Prefix>logs/</Prefix>');
    expect(put?.body).not.toContain('<Filter>');
    expect(put?.headers.get('x-amz-transition-default-minimum-object-size')).toBe('varies_by_storage_class');
  });

  test('sends Content-MD5, which all vendors accept, and no newer checksum', async () => {
    vendor = { answer: () => null };
    await apply();
    for (const { body, headers } of written) {
      expect(headers.get('content-md5')).toBe(new Bun.CryptoHasher('md5').update(body).digest('base64'));
      expect([...headers.keys()].filter((name) => name.includes('checksum'))).toEqual([]);
    }
    expect(written).toHaveLength(2);
  });
});

function putOf(which: string, status: number, code: string): Vendor['answer'] {
  return (method, of) => (method === 'PUT' && of === which ? failure(status, code) : null);
}
