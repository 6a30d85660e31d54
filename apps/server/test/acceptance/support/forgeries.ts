import { claimsOf, headerOf, reissue, sign } from './jwt.ts';

/** A way to make an invalid token from a valid one. Some ways sign it with the server's secret. */
export interface Forgery {
  readonly name: string;
  /** @param other another valid token of the same server */
  readonly forge: (token: string, other: string) => string;
}

const now = Math.floor(Date.now() / 1000);

const parts = (token: string): readonly [header: string, claims: string, signature: string] => {
  const [header = '', claims = '', signature = ''] = token.split('.');
  return [header, claims, signature];
};

/** The server must refuse all of these: "HS256, pinned; `alg: none` and every other algorithm refused". */
export const forgeries: readonly Forgery[] = [
  { name: 'alg none, no signature', forge: (token) => reissue(token, {}, { alg: 'none', typ: 'JWT' }) },
  { name: 'alg None in another case', forge: (token) => reissue(token, {}, { alg: 'NoNe', typ: 'JWT' }) },
  {
    name: 'alg none with the original signature',
    forge: (token) => reissue(token, {}, { alg: 'none' }) + parts(token)[2],
  },
  { name: 'alg HS512 with the right secret', forge: (token) => reissue(token, {}, { alg: 'HS512', typ: 'JWT' }) },
  { name: 'alg HS384 with the right secret', forge: (token) => reissue(token, {}, { alg: 'HS384', typ: 'JWT' }) },
  { name: 'alg RS256 with an HMAC signature', forge: (token) => reissue(token, {}, { alg: 'RS256', typ: 'JWT' }) },
  { name: 'no alg at all', forge: (token) => reissue(token, {}, { typ: 'JWT' }) },
  {
    name: 'an unknown critical header',
    forge: (token) => reissue(token, {}, { alg: 'HS256', crit: ['x-unknown'], 'x-unknown': 1 }),
  },
  {
    name: 'another secret',
    forge: (token) => sign(headerOf(token), claimsOf(token), 'not-the-secret-of-this-server-0123456789'),
  },
  { name: 'an empty secret', forge: (token) => sign(headerOf(token), claimsOf(token), '\0') },
  { name: 'no signature', forge: (token) => `${token.split('.').slice(0, 2).join('.')}.` },
  {
    name: 'a signature with one wrong character',
    forge: (token) => token.slice(0, -2) + (token.at(-2) === 'A' ? 'B' : 'A') + token.at(-1),
  },
  {
    name: "another token's signature",
    forge: (token, other) => [...parts(token).slice(0, 2), parts(other)[2]].join('.'),
  },
  {
    name: "this token's claims between another token's header and signature",
    forge: (token, other) => [parts(other)[0], parts(token)[1], parts(other)[2]].join('.'),
  },
  {
    name: 'claims that were changed after signing',
    forge: (token) => {
      const [header, , signature] = parts(token);
      return [header, parts(sign({}, { ...claimsOf(token), exp: now + 400 * 86_400 }))[1], signature].join('.');
    },
  },
  { name: 'a fourth part', forge: (token) => `${token}.x` },
  { name: 'expired a minute ago', forge: (token) => reissue(token, { exp: now - 60 }) },
  { name: 'no expiry', forge: (token) => reissue(token, { exp: undefined }) },
  { name: 'an expiry that is not a number', forge: (token) => reissue(token, { exp: 'never' }) },
  { name: 'another issuer', forge: (token) => reissue(token, { iss: 'https://elsewhere.example' }) },
  { name: 'no issuer', forge: (token) => reissue(token, { iss: undefined }) },
  { name: 'an unknown jti', forge: (token) => reissue(token, { jti: '01890000-0000-7000-8000-00000000abcd' }) },
  { name: 'a jti that is an object', forge: (token) => reissue(token, { jti: { $ne: null } }) },
  { name: 'no jti', forge: (token) => reissue(token, { jti: undefined }) },
  { name: 'not valid before tomorrow', forge: (token) => reissue(token, { nbf: now + 86_400 }) },
];
