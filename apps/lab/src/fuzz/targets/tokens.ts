import fc from 'fast-check';
import { anyJson, jsonFor } from '../arbitraries/json.ts';
import { HOST } from '../arbitraries/request.ts';
import { anyBytes, weighted, words } from '../arbitraries/text.ts';
import type { ForgedToken, RequestCase } from '../case.ts';
import type { Target } from './target.ts';

const GOOD_HEADER = '{"alg":"HS256","typ":"JWT"}';
const GOOD_CLAIMS = '{"iss":"postshelf","sub":"{{sub}}","jti":"{{jti}}","iat":1700000000,"exp":{{exp}}}';

const algorithms = ['none', 'None', 'HS384', 'HS512', 'RS256', 'ES256', 'EdDSA', 'hs256', 'HS256\\u0000', '', 'dir'];

const header = weighted(
  [6, fc.constant(GOOD_HEADER)],
  [3, fc.constantFrom(...algorithms).map((alg) => `{"alg":"${alg}","typ":"JWT"}`)],
  [
    2,
    fc.constantFrom(
      ...words(`{"alg":"HS256","crit":["exp"]} {"alg":"HS256","b64":false,"crit":["b64"]}
        {"alg":"HS256","kid":"../../../dev/null"} {"alg":"HS256","jwk":{"kty":"oct","k":""}}
        {"alg":["HS256"]} {"alg":null} {"alg":"HS256","alg":"none"} {"__proto__":{"alg":"none"}}
        {} [] null`),
    ),
  ],
  [1, anyJson],
);

/** A schema of the service's claims. */
const CLAIMS = {
  type: 'object',
  properties: {
    iss: { type: 'string', examples: ['postshelf'] },
    sub: { type: 'string', format: 'uuid' },
    jti: { type: 'string', format: 'uuid' },
    iat: { type: 'integer' },
    exp: { type: 'integer' },
    nbf: { type: 'integer' },
    aud: { type: 'string' },
    scope: { type: 'string' },
  },
};

const claims = weighted([3, fc.constant(GOOD_CLAIMS)], [3, jsonFor(CLAIMS)], [1, anyJson]);

const tail = weighted([8, fc.constant('')], [1, fc.constantFrom('.', '=', '==', '.x', 'A', ' ', ',x', '%00', '\x80')]);

const forged: fc.Arbitrary<ForgedToken> = fc.record({
  header,
  claims,
  hash: fc.constantFrom('sha256', 'sha256', 'sha256', 'sha384', 'sha512', 'none'),
  key: fc.constantFrom('own', 'own', 'own', 'other', 'empty'),
  tail,
});

/** The real token, truncated, changed or recombined. */
const altered = fc.oneof(
  fc.constantFrom(
    ...words(`{{tokenHeader}}.{{tokenClaims}}. {{tokenHeader}}.{{tokenClaims}}
      .{{tokenClaims}}.{{tokenSignature}} {{tokenHeader}}..{{tokenSignature}}
      {{tokenHeader}}.{{tokenClaims}}.{{tokenSignature}}.{{tokenSignature}}
      {{tokenClaims}}.{{tokenHeader}}.{{tokenSignature}}
      {{tokenHeader}}=.{{tokenClaims}}=.{{tokenSignature}}= {{foreignToken}} .. ... x a.b.c
      e30.e30.e30`),
    `${'x'.repeat(8000)}.y.z`,
    '{{tokenHeader}}.{{tokenClaims}}.{{tokenSignature}}\xff',
  ),
  anyBytes(40).map((bytes) => bytes.replaceAll(/[^ -~\x80-\xff]/g, ' ')),
);

const scheme = fc.constantFrom('Bearer ', 'Bearer ', 'Bearer ', 'bearer ', 'Bearer  ', 'Bearer', 'Token ', '');

const where = fc.constantFrom<readonly string[]>(
  ['GET /workspaces/{workspace}/media_library/folders', '/v1/workspaces/{{workspace}}/media_library/folders'],
  ['GET /media_contents/{id}', '/v1/media_contents/{{media}}'],
  ['GET /analytics/best_times', '/v1/analytics/best_times?workspace={{workspace}}'],
  ['GET /analytics/best_times/slots', '/v1/analytics/best_times/slots?workspace={{workspace}}'],
  ['', '/trpc/folders.list?input=%7B%22workspace%22%3A%22{{workspace}}%22%7D'],
);

/** Tokens forged with the service's secret and with other secrets, and changes of the real token. */
export const tokens: Target = {
  about: 'tokens: algorithms, claims, signatures, spellings of the header',
  cases: fc
    .record({ where, scheme, token: weighted<ForgedToken | string>([3, forged], [1, altered]) })
    .map(({ where: [operation = '', target = ''], scheme: how, token }): RequestCase => {
      const text = typeof token === 'string' ? token : '{{bearer}}';
      return {
        kind: 'request',
        ...(operation !== '' && { operation }),
        method: 'GET',
        target,
        lines: [HOST, `Authorization: ${how}${text}`],
        ...(typeof token !== 'string' && { bearer: token }),
        // The HTTP layer refuses headers of many kilobytes, and headers with invalid bytes.
        isBadHttp: true,
      };
    }),
};
