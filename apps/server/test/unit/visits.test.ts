import { expect, test } from 'bun:test';
import { beginVisit } from '../../src/http/visits.ts';

const requestWith = (headers: Readonly<Record<string, string>>) => new Request('http://127.0.0.1/', { headers });

/** `X-Forwarded-For`, and the client's address behind a proxy that is trusted. */
const FORWARDED: readonly (readonly [string, string])[] = [
  ['203.0.113.9', '203.0.113.9'],
  ['10.0.0.1, 203.0.113.9', '203.0.113.9'],
  ['203.0.113.9,2001:db8::1 ', '2001:db8::1'],
  ['203.0.113.9, unknown', '127.0.0.1'],
  ['203.0.113.9, ', '127.0.0.1'],
  ['203.0.113.9:4711', '127.0.0.1'],
  ['<script>', '127.0.0.1'],
];

test.each(FORWARDED)('the address forwarded as %j is %s, and not believed of anybody else', (forwarded, address) => {
  const request = requestWith({ 'x-forwarded-for': forwarded });
  expect(beginVisit(request, () => '127.0.0.1', true).address).toBe(address);
  expect(beginVisit(request, () => '127.0.0.1', false).address).toBe('127.0.0.1');
});

test('a client that has hung up has no address', () => {
  expect(beginVisit(requestWith({}), () => null, true).address).toBeNull();
});

test('ids differ', () => {
  const ids = Array.from({ length: 100 }, () => beginVisit(requestWith({}), () => null, false).id);
  expect(new Set(ids).size).toBe(100);
});
