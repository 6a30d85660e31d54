import { expect, test } from 'bun:test';
import { factsOf } from '../src/request-facts.ts';

const factsWith = (request: Request, peer: string | null, trustProxy: boolean) =>
  factsOf({ trustProxy, peerOf: () => peer }, request, null);

const requestWith = (headers: Readonly<Record<string, string>>) => new Request('http://127.0.0.1/', { headers });

/** Values of `X-Forwarded-For`, each with the client's address behind a trusted proxy. */
const FORWARDED: readonly (readonly [string, string])[] = [
  ['203.0.113.9', '203.0.113.9'],
  ['10.0.0.1, 203.0.113.9', '203.0.113.9'],
  ['203.0.113.9,2001:db8::1 ', '2001:db8::1'],
  ['203.0.113.9, unknown', '127.0.0.1'],
  ['203.0.113.9, ', '127.0.0.1'],
  ['203.0.113.9:4711', '127.0.0.1'],
  ['<script>', '127.0.0.1'],
];

test.each(FORWARDED)('X-Forwarded-For %j sets the address to %s only if the proxy is trusted', (forwarded, address) => {
  const request = requestWith({ 'x-forwarded-for': forwarded });
  expect(factsWith(request, '127.0.0.1', true).address).toBe(address);
  expect(factsWith(request, '127.0.0.1', false).address).toBe('127.0.0.1');
});

test('a client that has disconnected has no address', () => {
  expect(factsWith(requestWith({}), null, true).address).toBeNull();
});

test('each request has its own id', () => {
  const ids = Array.from({ length: 100 }, () => factsWith(requestWith({}), null, false).id);
  expect(new Set(ids).size).toBe(100);
});
