import { describe, expect, test } from 'bun:test';
import { type Problem, Refusal } from '@postshelf/domain';
import { TRPCError } from '@trpc/server';
import { getHTTPStatusCodeFromError } from '@trpc/server/http';
import { type RenderedError, renderError } from '../src/errors.ts';
import { codeOf, renderTrpcError } from '../src/faces/trpc/errors.ts';

type Row = readonly [Problem, number, RenderedError['body'], RenderedError['headers']?];

const ROWS: readonly Row[] = [
  [{ code: 'unauthenticated' }, 401, { message: 'Unauthenticated.' }, { 'WWW-Authenticate': 'Bearer' }],
  [{ code: 'missing_scope', scope: 'media:write' }, 403, { message: 'The scope media:write is missing.' }],
  [{ code: 'not_found' }, 404, { message: 'Not found.' }],
  [
    { code: 'invalid', errors: { url: ['The url field is required.'], label: ['Too long.', 'Odd.'] } },
    422,
    {
      message: 'The url field is required. (and 2 more errors)',
      errors: { url: ['The url field is required.'], label: ['Too long.', 'Odd.'] },
    },
  ],
  [{ code: 'too_large', message: 'Too large.' }, 413, { message: 'Too large.' }],
  [{ code: 'malformed', message: 'Not JSON.' }, 400, { message: 'Not JSON.' }],
  [
    { code: 'unsupported_media_type', accepted: ['multipart/form-data', 'application/json'] },
    415,
    { message: 'The Content-Type must be multipart/form-data or application/json.' },
    { Accept: 'multipart/form-data, application/json' },
  ],
  [
    { code: 'unsupported_encoding' },
    415,
    { message: 'Content-Encoding is not supported. Send the body uncompressed.' },
    { 'Accept-Encoding': 'identity' },
  ],
  [
    { code: 'method_not_allowed', allow: ['GET', 'HEAD'] },
    405,
    { message: 'Method not allowed.' },
    { Allow: 'GET, HEAD' },
  ],
  [{ code: 'too_slow', message: 'Too slow.' }, 408, { message: 'Too slow.' }, { Connection: 'close' }],
  [{ code: 'unavailable', message: 'Full.' }, 503, { message: 'Full.' }, { 'Retry-After': '5' }],
  [
    { code: 'too_many_requests', message: 'Too many.', retryAfter: 42 },
    429,
    { message: 'Too many.' },
    { 'Retry-After': '42' },
  ],
  [{ code: 'busy', message: 'Busy.', retryAfter: 10 }, 503, { message: 'Busy.' }, { 'Retry-After': '10' }],
  [{ code: 'storage_low' }, 507, { message: 'The storage is low on space and cannot accept more files.' }],
];

describe('a problem', () => {
  test.each(ROWS.map((row) => [row[0].code, row] as const))(
    'with the code %s is rendered with its status, body and headers',
    (code, row) => {
      const [problem, status, body, headers = {}] = row;
      const all = { 'Cache-Control': 'no-store', ...headers };
      const rendered = { status, body, headers: all, isFault: code === 'unavailable' };
      expect(renderError(new Refusal(problem))).toEqual(rendered);
      const cause = new Refusal(problem);
      expect(renderTrpcError(new TRPCError({ code: 'INTERNAL_SERVER_ERROR', cause }))).toEqual(rendered);
    },
  );

  test('maps to a tRPC code with the same status, except 507', () => {
    for (const [, status] of ROWS) {
      const error = new TRPCError({ code: codeOf(status) });
      // tRPC has no code for 507.
      expect(getHTTPStatusCodeFromError(error)).toBe(status === 507 ? 503 : status);
    }
  });
});

describe('a fault', () => {
  const headers = { 'Cache-Control': 'no-store' };
  const RENDERED = { status: 500, body: { message: 'Server error.' }, headers, isFault: true };

  test.each([
    ['an error', new Error('SELECT * FROM secrets')],
    ['an error with a status property', Object.assign(new Error('teapot'), { status: 418, code: 'invalid' })],
    ['an error with a problem property', Object.assign(new Error('x'), { problem: { code: 'not_found' } })],
    ['a string', 'inside'],
    ['undefined', undefined],
    ['null', null],
  ])('is rendered without details: %s', (_, error) => {
    expect(renderError(error)).toEqual(RENDERED);
  });

  test.each([
    ['an error wrapped by tRPC', new TRPCError({ code: 'INTERNAL_SERVER_ERROR', cause: new Error('inside') })],
    ['an unused tRPC code', new TRPCError({ code: 'TOO_MANY_REQUESTS', message: 'inside' })],
  ])('is rendered over tRPC without details: %s', (_, error) => {
    expect(renderTrpcError(error)).toEqual(RENDERED);
  });
});

describe('an error thrown by tRPC itself', () => {
  test.each([
    ['PARSE_ERROR', 400],
    ['BAD_REQUEST', 400],
    ['NOT_FOUND', 404],
    ['METHOD_NOT_SUPPORTED', 405],
    ['PAYLOAD_TOO_LARGE', 413],
    ['UNSUPPORTED_MEDIA_TYPE', 415],
  ] as const)('with the code %s becomes status %d without its message', (code, status) => {
    const { body, ...rendered } = renderTrpcError(new TRPCError({ code, message: 'inside' }));
    expect(rendered).toMatchObject({ status, isFault: false });
    expect(JSON.stringify(body)).not.toContain('inside');
  });
});
