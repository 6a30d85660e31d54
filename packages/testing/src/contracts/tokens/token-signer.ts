import { describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { parseUuid, TOKEN_ISSUER, type TokenClaims, type TokenSigner } from '@postshelf/domain';

const SECRET = 'a secret of the tests, of more than 32 bytes';
const OTHER_SECRET = 'another secret of the tests, as long as that';
const HOUR = 3600;

/**
 * The contract of {@link TokenSigner}. The signer must use the machine's clock, and the secret's UTF-8 bytes as the
 * key.
 */
export function describeTokenSigner(name: string, open: (secret: string) => TokenSigner | Promise<TokenSigner>): void {
  const verify = async (token: string): Promise<TokenClaims | null> => (await open(SECRET)).verify(token);

  describe(`${name} as a token signer`, () => {
    test('verifies what it signed, also after a restart', async () => {
      const token = await (await open(SECRET)).sign(claims());
      expect(await verify(token)).toEqual(claims());
    });

    test('signs JWTs with HS256 that contain only the claims and the time of issue', async () => {
      const [header = '', payload = '', ...signature] = (await (await open(SECRET)).sign(claims())).split('.');
      expect(decode(header)).toMatchObject({ alg: 'HS256' });
      expect(decode(payload)).toEqual({ ...claims(), iat: expect.any(Number) });
      expect(signature).toEqual([hmac('sha256', `${header}.${payload}`)]);
    });

    test('verifies a token made elsewhere with the same secret', async () => {
      expect(await verify(forge(HS256, issued()))).toEqual(claims());
    });

    test('refuses a token with any one character changed', async () => {
      const token = await (await open(SECRET)).sign(claims());
      const signer = await open(SECRET);
      // The last character is skipped, because two of its bits carry no information (RFC 4648 section 3.5).
      for (let index = 0; index < token.length - 1; index += 1) {
        const changed = token[index] === 'A' ? 'B' : 'A';
        const tampered = token.slice(0, index) + changed + token.slice(index + 1);
        expect([index, await signer.verify(tampered)]).toEqual([index, null]);
      }
    });

    test.each([
      ['another key', () => forge(HS256, issued(), OTHER_SECRET)],
      ['the empty key', () => forge(HS256, issued(), '')],
      ['HS512 and the right key', () => forge({ alg: 'HS512', typ: 'JWT' }, issued(), SECRET, 'sha512')],
      ['HS384 and the right key', () => forge({ alg: 'HS384', typ: 'JWT' }, issued(), SECRET, 'sha384')],
      ['HS256 called HS512', () => forge({ alg: 'HS512', typ: 'JWT' }, issued())],
      ['HS256 called none', () => forge({ alg: 'none', typ: 'JWT' }, issued())],
      ['HS256 called RS256', () => forge({ alg: 'RS256', typ: 'JWT' }, issued())],
      ['no algorithm named', () => forge({ typ: 'JWT' }, issued())],
      ['alg none and no signature', () => unsigned({ alg: 'none', typ: 'JWT' })],
      ['alg None and no signature', () => unsigned({ alg: 'None', typ: 'JWT' })],
      ['HS256 and no signature', () => unsigned(HS256)],
    ])('refuses a token with %s', async (_, make) => {
      expect(await verify(make())).toBeNull();
    });

    test.each([
      ['that has expired', { ...issued(), exp: STARTED - HOUR }],
      ['that expired at the epoch', { ...issued(), exp: 0 }],
      ['without exp', without('exp')],
      ['without jti', without('jti')],
      ['without iss', without('iss')],
      ['without sub', without('sub')],
      ['without iat', without('iat')],
      ['whose exp is a text', { ...issued(), exp: String(STARTED + HOUR) }],
      ['whose exp is null', { ...issued(), exp: null }],
      ['whose jti is no UUID', { ...issued(), jti: 'token-1' }],
      ['whose jti is a number', { ...issued(), jti: 7 }],
      ['whose sub is a list', { ...issued(), sub: ['a'] }],
      ['of another issuer', { ...issued(), iss: 'somebody' }],
      ['with no claims', {}],
      ['with null for claims', null],
      ['with a list for claims', [issued()]],
      ['with a text for claims', 'claims'],
    ])('refuses a well-signed token %s', async (_, payload) => {
      expect(await verify(forge(HS256, payload))).toBeNull();
    });

    test('refuses a well-signed token whose payload is not JSON', async () => {
      const content = `${encode(HS256)}.${Buffer.from('{"iss":').toString('base64url')}`;
      expect(await verify(`${content}.${hmac('sha256', content)}`)).toBeNull();
    });

    test.each([
      ['nothing', ''],
      ['dots', '..'],
      ['many dots', '.'.repeat(1000)],
      ['one part', 'abc'],
      ['three short parts', 'a.b.c'],
      ['JSON', '{"alg":"none"}'],
      ['invalid base64', '!!!.???.###'],
      ['control characters', '\0\n\r\t'],
      ['a lone surrogate', '\ud800.\ud800.\ud800'],
      ['a megabyte', 'a'.repeat(1_000_000)],
    ])('refuses garbage: %s', async (_, text) => {
      expect(await verify(text)).toBeNull();
    });

    test.each([
      ['a space before it', (token: string) => ` ${token}`],
      ['a line end after it', (token: string) => `${token}\n`],
      ['too many parts', (token: string) => `${token}.${token}`],
      ['an empty part', (token: string) => `${token}.`],
      ['no part for its signature', (token: string) => token.slice(0, token.lastIndexOf('.'))],
    ])('refuses a token with %s', async (_, spoil) => {
      expect(await verify(spoil(forge(HS256, issued())))).toBeNull();
    });
  });
}

const HS256 = { alg: 'HS256', typ: 'JWT' };

/** The time in seconds that all claims of a test run are based on, so that claims that are created twice are equal. */
const STARTED = Math.floor(Date.now() / 1000);

function claims(): TokenClaims {
  const id = parseUuid('01890a5d-ac96-774b-bcce-b302099a8057');
  if (id === null) throw new Error('a UUID');
  return { iss: TOKEN_ISSUER, sub: 'workspace-token', jti: id, exp: STARTED + HOUR };
}

/** The contents of a token: the claims and the time of issue. */
const issued = () => ({ ...claims(), iat: STARTED });

function without(claim: keyof ReturnType<typeof issued>): unknown {
  const { [claim]: _, ...rest } = issued();
  return rest;
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decode(part: string): unknown {
  return JSON.parse(Buffer.from(part, 'base64url').toString());
}

function hmac(algorithm: string, content: string, secret = SECRET): string {
  return createHmac(algorithm, secret).update(content).digest('base64url');
}

function forge(header: unknown, payload: unknown, secret = SECRET, algorithm = 'sha256'): string {
  const content = `${encode(header)}.${encode(payload)}`;
  return `${content}.${hmac(algorithm, content, secret)}`;
}

const unsigned = (header: unknown): string => `${encode(header)}.${encode(issued())}.`;
