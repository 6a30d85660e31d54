import fc from 'fast-check';
import { HOST, inLine } from '../arbitraries/request.ts';
import { anyBytes, nastyText, weighted, words } from '../arbitraries/text.ts';
import type { RequestCase } from '../case.ts';
import type { Target } from './target.ts';

/** Paths that answer without a token. */
const PLACES = [
  ...words(`/ /folders/{{folder}} /media/{{media}} /posts /best-times {{asset}} /assets/x.js /docs /docs/guide /docs/reference
    /docs/swagger-ui.css /previews/{{workspace}}/{{media}}/160.webp /previews/{{workspace}}/{{video}}/320.webp
    /previews/{{workspace}}/{{temporary}}/160.webp /previews/{{foreign}}/{{media}}/160.webp {{feed}} {{feed}}x /calendars/{{calendar}}.ics
    {{archive}} {{archive}}x /archives/{{workspace}}/{{media}}.zip /archives/{{foreign}}/{{media}}.zip?expires=1&signature=x`),
];

/** Widths of previews, valid and invalid. */
const WIDTHS = words('160 0160 161 0 -1 1e9 160.5 1280 99999999999999999999 NaN %31%36%30 ../160 160%00 １６０');
const widths = fc
  .tuple(
    fc.constantFrom(...words('media video unknown temporary')),
    fc.constantFrom(...WIDTHS),
    fc.constantFrom('.webp', '.WEBP', '.jpg', '', '.webp/', '.webp%2f..'),
  )
  .map(([item, width, ending]) => `/previews/{{workspace}}/{{${item}}}/${width}${ending}`);

const SEPARATORS = words('/ // /./ /../ %2f %5c \\ ; %00 /%2e%2e/ /..%2f %252f');
const SEGMENTS =
  words(`assets folders media posts best-times docs previews files index.html web.tar .env x __proto__ %ff
  %c0%ae%c0%ae {{media}} <script> %3Cscript%3E "onload= CSP_NONCE ="./x`);

const joined = fc
  .array(fc.tuple(fc.constantFrom(...SEPARATORS), fc.oneof(fc.constantFrom(...SEGMENTS), nastyText.map(escaped))), {
    minLength: 1,
    maxLength: 5,
  })
  .map((parts) => `/${parts.flat().join('').slice(0, 3000)}`);

function escaped(text: string): string {
  return Buffer.from(text.slice(0, 300), 'latin1').reduce(
    (all, byte) => `${all}%${byte.toString(16).padStart(2, '0')}`,
    '',
  );
}

const behind = weighted(
  [6, fc.constant('')],
  [1, fc.constantFrom('/', '//', '?x=1', '/?url=//evil.example', '#x', '%20', '.br', '%2e')],
);

const target = weighted(
  [4, fc.tuple(fc.constantFrom(...PLACES), behind).map((parts) => parts.join(''))],
  [2, widths],
  [3, joined],
);

const header = fc.oneof(
  fc
    .oneof(
      fc.constantFrom(
        'text/html',
        '*/*',
        'text/*;q=0',
        'application/json',
        'text/html;q=x',
        ',,',
        '*/*;q=1e9',
        ';'.repeat(4000),
      ),
      anyBytes(30),
    )
    .map((value) => `Accept: ${inLine(value)}`),
  fc
    .oneof(fc.constantFrom('br', 'gzip', '*;q=0', 'identity;q=0', 'br;q=0.0001', 'br,'.repeat(3000)), anyBytes(30))
    .map((value) => `Accept-Encoding: ${inLine(value)}`),
  fc.constantFrom('bytes=0-', 'bytes=-1', 'bytes=5-1', 'bytes=0-0,2-3', 'x').map((value) => `Range: ${value}`),
  fc.constantFrom('*', '"x"', 'W/"x"', '"').map((value) => `If-None-Match: ${value}`),
  fc.constantFrom(
    'X-Forwarded-Host: evil.example',
    'X-Forwarded-Proto: https',
    'X-Forwarded-Prefix: /evil',
    'X-Original-URL: /v1/me',
    'X-Rewrite-URL: /v1/me',
    'Forwarded: host=evil.example',
    'Cookie: {{cookie}}',
  ),
);

/** Pages for browsers: the library, its files, previews, the documentation. */
export const pages: Target = {
  about: 'pages, their files and previews: escapes, slashes, dots, accepted types and encodings',
  cases: fc
    .record({
      method: weighted(
        [8, fc.constant('GET')],
        [2, fc.constant('HEAD')],
        [1, fc.constantFrom('POST', 'PUT', 'OPTIONS')],
      ),
      target,
      host: weighted(
        [8, fc.constant(HOST)],
        [1, fc.constantFrom('Host: evil.example', 'Host: "><script>', 'Host: x:99999')],
      ),
      lines: fc.array(header, { maxLength: 3 }),
    })
    .map(
      ({ method, target: where, host, lines }): RequestCase => ({
        kind: 'request',
        method,
        target: where.replaceAll(/[^!-~]/g, '_'),
        lines: [host, ...lines],
        isBadHttp: true,
      }),
    ),
};
