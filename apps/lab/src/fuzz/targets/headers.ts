import fc from 'fast-check';
import { AUTHORIZATION, HOST, inLine } from '../arbitraries/request.ts';
import { anyBytes, nastyText, weighted, words } from '../arbitraries/text.ts';
import type { RequestCase } from '../case.ts';
import type { Target } from './target.ts';

const numbers = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '1',
    '4242',
    '4243',
    '-0',
    '9007199254740993',
    '18446744073709551616',
    '9'.repeat(100),
    ' 1',
    'x',
  ),
  fc.nat(5000).map(String),
);

const range = fc
  .tuple(
    fc.constantFrom('bytes=', 'bytes =', 'Bytes=', 'bytes', 'items=', ''),
    fc.array(fc.tuple(numbers, numbers), { maxLength: 3 }),
  )
  .map(([unit, ranges]) => `${unit}${ranges.map((pair) => pair.join('-')).join()}`);

const manyRanges = fc.constantFrom(10, 1000).map((times) => `bytes=${'0-1,'.repeat(times)}`);

const tags = fc.constantFrom('*', '""', '"x"', 'W/"x"', '"x', 'x,"y",,', `${'"a",'.repeat(500)}"b"`, '"\xff"');
const dates = fc.constantFrom(
  'Sat, 21 Nov 2026 18:30:00 GMT',
  'Sat, 99 Nov 2026 99:99:99 GMT',
  '0',
  '-1',
  '2026-11-21',
  '',
);
const hosts = fc.constantFrom(
  'x',
  '[::1',
  '[::1]:99999',
  'a b',
  '%zz',
  'a/b',
  '?',
  '#',
  '@',
  '\\',
  'x'.repeat(5000),
  '{{host}}.',
);
const lengths = fc.constantFrom('0', '-1', '+1', '1e1', '0x1', '1, 1', '1, 2', ' ', '', '9'.repeat(30), '99999999');
const types = fc.constantFrom(
  'application/json',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'a/b;;;=',
  ';',
  '/',
);
const free = fc.oneof(nastyText.map(inLine), anyBytes(30).map(inLine));

/** A generator for the values of each header. */
const VALUES: readonly (readonly [string, fc.Arbitrary<string>])[] = [
  ['Range', weighted([5, range], [1, manyRanges])],
  ['If-Range', fc.oneof(tags, dates)],
  ['If-None-Match', tags],
  ['If-Match', tags],
  ['If-Modified-Since', dates],
  ['If-Unmodified-Since', dates],
  ['Host', hosts],
  ['Content-Length', lengths],
  ['Content-Type', types],
  ['Content-Encoding', fc.constantFrom('gzip', 'br', 'identity', 'gzip, gzip')],
  ['Transfer-Encoding', fc.constantFrom('chunked', 'gzip', 'chunked, chunked', 'xchunked', ' chunked', 'identity')],
  ['Expect', fc.constantFrom('100-continue', 'more', '')],
  ['Connection', fc.constantFrom('close', 'keep-alive', 'upgrade', 'Authorization', 'x,y,,')],
  ['Upgrade', fc.constantFrom('websocket', 'h2c')],
  ['Forwarded', fc.constantFrom('for=1.2.3.4;host=evil', 'for="[::1', ';;;', 'for=_hidden')],
  ['X-Forwarded-For', fc.constantFrom('1.2.3.4', 'x', ','.repeat(1000), '1.2.3.4,,::1')],
  ['X-Forwarded-Host', hosts],
  ['X-Forwarded-Proto', fc.constantFrom('https', 'javascript', 'x')],
  ['X-Request-Id', free],
  [
    'Idempotency-Key',
    fc.oneof(fc.constantFrom('a', 'a', '"b"', 'two words', 'x'.repeat(255), 'x'.repeat(256), ''), free),
  ],
  ['X-Asked-Method', fc.constantFrom('HEAD', 'PUT', 'x')],
  ['X-HTTP-Method-Override', fc.constantFrom('DELETE', 'x')],
  ['Origin', fc.constantFrom('null', 'https://evil.example', 'x', '', 'http://{{host}}')],
  ['Access-Control-Request-Method', fc.constantFrom('PUT', 'x', '')],
  ['Access-Control-Request-Headers', free],
  [
    'Authorization',
    fc.constantFrom('', 'Bearer', 'Bearer ', 'Basic eDp4', 'bearer {{token}}', 'Bearer {{token}} {{token}}'),
  ],
  [
    'Cookie',
    fc.oneof(fc.constantFrom('{{cookie}}', '{{cookie}}x', 'a=b;;{{cookie}}; =', `x=${'y'.repeat(9000)}`), free),
  ],
  ['Accept', fc.constantFrom('text/html', '*/*;q=', ',')],
  ['Accept-Encoding', fc.constantFrom('gzip', '*;q=0', 'br;q=x')],
  ['traceparent', fc.constantFrom('00-0-0-0', `00-${'f'.repeat(32)}-${'f'.repeat(16)}-01`, 'x')],
  ['tracestate', free],
  ['Trailer', fc.constantFrom('Content-Length', 'Authorization')],
  ['TE', fc.constantFrom('trailers', 'gzip')],
];

const known = fc.oneof(...VALUES.map(([name, value]) => value.map((text) => `${name}: ${text}`)));

/** Lines that aren't headers, and unusual headers. */
const odd = fc.oneof(
  fc.constantFrom(
    'nocolon',
    ': value',
    ' folded',
    'X Y: z',
    'X-Tab\t: a',
    'X\0Nul: a',
    'X-Nul: a\0b',
    'X-Cr: a\rb',
    '\xff: a',
    '',
  ),
  anyBytes(20),
  fc.constantFrom(100, 20_000, 100_000).map((times) => `X-Long: ${'x'.repeat(times)}`),
  fc.constantFrom(90, 5000).map((times) => Array.from({ length: times }, (_, nth) => `X-${nth}: 1`).join('\r\n')),
);

const target = fc.constantFrom(
  ...words(`{{link}} {{link}} {{link}}?x=1 /v1/media_contents/{{media}}
    /v1/workspaces/{{workspace}}/media_contents
    /v1/workspaces/{{workspace}}/media_library/folders
    /trpc/folders.list?input=%7B%22workspace%22%3A%22{{workspace}}%22%7D {{upload}} /health /v1/me /v1/sessions /v1/sessions/x
    /metrics /docs /v1/openapi.json /nowhere /files/%2e%2e/%2e%2e/postshelf.db
    /previews/%2e%2e/%2e%2e/1.webp /files/..%5c..%5cjwt-secret http://other.example/v1/nowhere * //x /% /v1/%ff`),
);

const methods = weighted(
  [8, fc.constantFrom('GET', 'GET', 'HEAD', 'PUT', 'POST', 'OPTIONS', 'PATCH')],
  [1, fc.constantFrom('get', 'BREW', 'TRACE', 'CONNECT', 'PRI', 'G\tT', '', 'X'.repeat(300))],
);

const line = weighted([10, known], [1, odd]);

/** Request lines and headers. */
export const headers: Target = {
  about: 'request lines and headers: ranges, conditions, hosts, lengths, encodings, proxies',
  cases: fc
    .record({
      method: methods,
      target,
      host: fc.constantFrom(HOST, HOST, HOST, HOST, HOST, 'Host: x'),
      bearer: fc.constantFrom([AUTHORIZATION], [AUTHORIZATION], ['Cookie: {{cookie}}'], []),
      lines: fc.array(line, { maxLength: 5 }),
    })
    .map(
      ({ method, target: where, host, bearer, lines }): RequestCase => ({
        kind: 'request',
        method,
        target: where,
        lines: [...(lines.some((other) => other.startsWith('Host:')) ? [] : [host]), ...bearer, ...lines],
        isBadHttp: true,
      }),
    ),
};
