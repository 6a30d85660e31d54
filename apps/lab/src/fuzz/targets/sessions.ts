import fc from 'fast-check';
import { jsonFor } from '../arbitraries/json.ts';
import { AUTHORIZATION, framing, HOST, inLine, ORIGIN } from '../arbitraries/request.ts';
import { anyBytes, nastyText, weighted, words } from '../arbitraries/text.ts';
import type { RequestCase } from '../case.ts';
import { operations } from '../oracle/document.ts';
import type { Target } from './target.ts';

/** Valid `Cookie` headers: the session's cookie, with and without other cookies. */
const GOOD_COOKIES = [
  '{{cookie}}',
  'a=b; {{cookie}}',
  '{{cookie}}; a="{{cookie}}',
  'theme=dark;{{cookie}} ;',
  ' {{cookie}}',
];

/** Changed cookies, and cookies of other sessions. */
const badCookie = fc.oneof(
  fc.constantFrom(
    ...words(`{{cookie}}x {{cookie}}= {{cookie}}%20 x{{cookie}} {{cookie}},{{cookie}} __Host-{{cookie}} __Secure-{{cookie}}
      {{cookieName}}= {{cookieName}}=x {{cookieName}}={{token}} {{cookieName}}==={{cookie}} {{cookieName}}=${'A'.repeat(43)}
      {{cookieName}}=${'A'.repeat(9000)} __Host-postshelf=${'A'.repeat(43)} =;=;{{cookieName}}`),
    '{{cookieName}}="{{cookieValue}}"',
    '{{cookieName}} = {{cookieValue}}',
    '{{cookieName}}\t={{cookieValue}}',
  ),
  anyBytes(60).map((bytes) => `{{cookieName}}=${inLine(bytes).replaceAll(';', ',')}`),
);

/** Origins of pages that aren't the service's own. */
const FOREIGN = [
  ...words(`null https://{{host}} http://{{host}}0 http://{{host}}.evil.example http://{{host}}/ http://{{host}}@evil.example
    http://evil.example#http://{{host}} http://localhost:1 HTTP://{{host}} //{{host}} {{host}} * http://{{host}},http://{{host}}`),
  'http://{{host}} http://{{host}}',
  '',
];

const foreignOrigin = weighted(
  [3, fc.constant<readonly string[]>([])],
  [
    8,
    fc
      .constantFrom(...FOREIGN)
      .map((origin) => [`Origin: ${origin}`, ...(origin === 'null' ? ['Referer: http://{{host}}/'] : [])]),
  ],
  [1, fc.constant(['Referer: http://{{host}}/', 'Sec-Fetch-Site: same-origin'])],
  [1, nastyText.map((text) => [`Origin: ${inLine(text)}`])],
);

type Asked = readonly [method: string, target: string, operation?: string];

const READS: readonly Asked[] = [
  ['GET', '/v1/me', 'GET /me'],
  ['GET', '/v1/sessions?page=2', 'GET /sessions'],
  ['GET', '/trpc/me.get'],
  ['GET', '/trpc/sessions.list?input=%7B%7D'],
];

const WRITES: readonly Asked[] = [
  ['POST', '/v1/workspaces/{{workspace}}/media_library/folders', 'POST /workspaces/{workspace}/media_library/folders'],
  ['PATCH', '/v1/media_contents/{{media}}', 'PATCH /media_contents/{id}'],
  ['DELETE', '/v1/sessions/{{unknown}}', 'DELETE /sessions/{id}'],
  ['DELETE', '/v1/sessions/x', 'DELETE /sessions/{id}'],
  ['POST', '/trpc/folders.create'],
  ['POST', '/trpc/folders.create,media.update?batch=1'],
];

/** Ends the session. It is never sent with the valid cookie, because other cases need that session. */
const END: Asked = ['DELETE', '/v1/sessions/current', 'DELETE /sessions/{id}'];

const BODY = '{"workspace":"{{workspace}}","id":"{{media}}","name":"Autumn"}';
const TYPES = [
  'application/json',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
];

const asked = ([method, target, operation]: Asked, lines: readonly string[], type: string): RequestCase => ({
  kind: 'request',
  ...(operation !== undefined && type === 'application/json' && { operation }),
  method,
  target,
  lines: [HOST, ...lines, ...(method === 'POST' || method === 'PATCH' ? [`Content-Type: ${type}`] : [])],
  ...((method === 'POST' || method === 'PATCH') && { body: { bytes: BODY, framing: 'length' as const } }),
  isBadHttp: true,
});

const goodCookie = fc.constantFrom(...GOOD_COOKIES).map((cookie) => `Cookie: ${cookie}`);
const type = weighted([3, fc.constant('application/json')], [1, fc.constantFrom(...TYPES)]);

/** Allowed requests from the service's own pages. */
const own = fc
  .tuple(fc.constantFrom(...READS, ...WRITES), goodCookie, type)
  .map(([what, cookie, of]) => asked(what, [cookie, ORIGIN], of));

/** A valid cookie in a request from a page of another site. */
const crossSite = fc
  .tuple(fc.constantFrom(...WRITES, END), goodCookie, foreignOrigin, type)
  .map(([what, cookie, origin, of]): RequestCase => ({ ...asked(what, [cookie, ...origin], of), mustFail: true }));

const forged = fc.tuple(fc.constantFrom(...READS, ...WRITES, END), badCookie, type).map(
  ([what, cookie, of]): RequestCase => ({
    ...asked(what, [`Cookie: ${cookie}`, ORIGIN], of),
    mustFail: true,
  }),
);

/** A cookie together with `Authorization`. Only `Authorization` counts, even if it is invalid. */
const beside = fc
  .tuple(
    fc.constantFrom(...READS, ...WRITES, END),
    goodCookie,
    fc.constantFrom(
      '',
      'Bearer',
      'Bearer x',
      'Basic eDp4',
      'Cookie {{cookieValue}}',
      'Bearer {{cookieValue}}',
      '{{token}}',
    ),
    type,
  )
  .map(
    ([what, cookie, authorization, of]): RequestCase => ({
      ...asked(what, [cookie, ORIGIN, `Authorization: ${authorization}`], of),
      mustFail: true,
    }),
  );

const signIn = operations.find(({ isOpen }) => isOpen);

/**
 * Bodies that sign in with a separate token. A token has at most fifty sessions, so repeated sign-ins with the main
 * token would end the session that other cases need.
 */
const GOOD_BODIES = ['{"token":"{{foreignToken}}"}', '{"token":"{{foreignToken}}","name":"Firefox","extra":1}'];
const BAD_BODIES = words(`{"code":"{{cookieValue}}"} {"token":"{{cookieValue}}"} {"token":"{{foreignToken}}","code":"x"}
  {"token":["{{foreignToken}}"]} {"token":"{{foreignToken}}"}x [{"token":"{{foreignToken}}"}] {}`);

const signingIn = fc
  .record({
    body: weighted<readonly [string, boolean]>(
      [2, fc.constantFrom(...GOOD_BODIES).map((text) => [text, true] as const)],
      [2, fc.constantFrom(...BAD_BODIES).map((text) => [text, false] as const)],
      [3, jsonFor(signIn?.body).map((text) => [text, false] as const)],
    ),
    origin: weighted<readonly [readonly string[], boolean]>(
      [2, fc.constant([[ORIGIN], true] as const)],
      [1, foreignOrigin.map((lines) => [lines, false] as const)],
    ),
    beside: fc.constantFrom([], [], [AUTHORIZATION], [`Cookie: {{cookieName}}=${'A'.repeat(43)}`]),
    framing,
  })
  .map(
    ({ body: [text, isGood], origin: [lines, isOwn], beside: more, framing: how }): RequestCase => ({
      kind: 'request',
      operation: 'POST /sessions',
      method: 'POST',
      target: '/v1/sessions',
      lines: [HOST, ...lines, ...more, 'Content-Type: application/json'],
      body: { bytes: text, framing: how },
      isBadHttp: true,
      ...(!(isGood && isOwn) && { mustFail: true }),
    }),
  );

const flowText = weighted(
  [
    2,
    fc.constantFrom(
      ...words('. 1. 99999999999999.x Infinity.x NaN. 0x7fffffffffff.x {{cookieValue}}'),
      '',
      '9'.repeat(9000),
    ),
  ],
  [1, nastyText.map((text) => inLine(text).replaceAll(';', ','))],
);
const parameter = fc
  .tuple(fc.constantFrom('state', 'code', 'iss', 'error', 'response', 'id_token'), nastyText)
  .map(([name, value]) => `${new URLSearchParams({ [name]: value })}`);

/**
 * Requests to the OpenID callback from browsers that didn't start signing in, and requests to start signing in that
 * come from other sites' pages.
 */
const byProvider = fc.oneof(
  fc.tuple(fc.array(parameter, { maxLength: 8 }), flowText).map(
    ([query, flow]): RequestCase => ({
      kind: 'request',
      operation: 'GET /sessions/oidc/callback',
      method: 'GET',
      target: `/v1/sessions/oidc/callback?${query.join('&')}`,
      lines: [HOST, `Cookie: {{cookieName}}.oidc=${flow}`],
      isBadHttp: true,
    }),
  ),
  fc.tuple(fc.constantFrom('same-origin', 'same-site', 'same-origin, none', ''), foreignOrigin).map(
    ([site, origin]): RequestCase => ({
      kind: 'request',
      operation: 'GET /sessions/oidc',
      method: 'GET',
      target: '/v1/sessions/oidc',
      lines: [HOST, `Sec-Fetch-Site: ${site}`, ...origin.filter((line) => line.startsWith('Origin:'))],
      isBadHttp: true,
    }),
  ),
);

/** Sessions: signing in, cookies, and origins of pages. */
export const sessions: Target = {
  about: 'signing in, changed and forged cookies, pages of other origins, a cookie together with a token',
  cases: weighted([2, own], [4, crossSite], [3, forged], [2, beside], [3, signingIn], [2, byProvider]),
};
