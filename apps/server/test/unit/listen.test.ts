import { expect, test } from 'bun:test';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { listen } from '../../src/http/listen.ts';

const failure = (code: string): Error => Object.assign(new Error(`${code}: some words, listen`), { code });

/**
 * Returns a function that listens on a host, or fails as Bun does: for a host name with an error that may be stale, and
 * for an address with its own error. No error code means success.
 */
const starting = (byName: string, byAddress: Readonly<Record<string, string>>) => (host: string) => {
  const code = host in byAddress ? byAddress[host] : byName;
  if (code !== undefined && code !== '') throw failure(code);
  return host;
};

const at = (host: string) => ({ host, port: 3000, setting: 'PORT' }) as const;

const refusedWith = (host: string, addresses: readonly string[], start: (host: string) => unknown): Promise<string> =>
  listen(at(host), start, async () => addresses).then(
    (started) => `started on ${started}`,
    (error: Error) => error.message,
  );

test.each(['EINVAL', 'EADDRINUSE', 'ENOTCONN'])(
  'a host name without an address is reported as such, even if Bun reports %s',
  async (stale) => {
    const sentence =
      'HOST: nowhere.test does not resolve to an address; set an address of this machine, such as 127.0.0.1';
    expect(await refusedWith('nowhere.test', [], starting(stale, {}))).toBe(sentence);
    const unresolved = async (): Promise<never> => {
      throw failure('ENOTFOUND');
    };
    expect(await outcomeOf(listen(at('nowhere.test'), starting(stale, {}), unresolved))).toThrow(sentence);
  },
);

test.each(['EINVAL', 'EADDRINUSE'])(
  'why listening on a host name fails is derived from its addresses, even if Bun reports %s',
  async (stale) => {
    const away = { '192.0.2.1': 'EADDRNOTAVAIL', '2001:db8::1': 'EADDRNOTAVAIL' };
    expect(await refusedWith('away.test', Object.keys(away), starting(stale, away))).toBe(
      'HOST: away.test (192.0.2.1, 2001:db8::1) is not an address of this machine',
    );
    const taken = { '192.0.2.1': 'EADDRNOTAVAIL', '127.0.0.1': 'EADDRINUSE' };
    expect(await refusedWith('here.test', Object.keys(taken), starting(stale, taken))).toBe(
      'PORT: 3000 is in use on here.test',
    );
    expect(await refusedWith('free.test', ['127.0.0.1'], starting(stale, { '127.0.0.1': '' }))).toBe(
      'started on 127.0.0.1',
    );
  },
);

test.each([
  ['127.0.0.1', 'EADDRINUSE', 'PORT: 3000 is in use on 127.0.0.1'],
  ['localhost', 'EADDRINUSE', 'PORT: 3000 is in use on localhost'],
  ['192.0.2.1', 'EADDRNOTAVAIL', 'HOST: 192.0.2.1 is not an address of this machine'],
  ['[::1]', 'EACCES', 'HOST: cannot listen on [::1]: EACCES: some words, listen'],
])('why listening on %s fails is known without a name lookup if Bun reports %s', async (host, code, sentence) => {
  expect(await refusedWith(host, ['127.0.0.1'], starting(code, {}))).toBe(sentence);
});

test('a host that can be listened on is used unchanged', async () => {
  expect(await refusedWith('here.test', ['127.0.0.1'], starting('', {}))).toBe('started on here.test');
});

test('Bun reports unresolvable, foreign and occupied addresses as these tests assume', async () => {
  const start = (hostname: string) => Bun.serve({ hostname, port: 0, fetch: () => new Response() });
  expect(await outcomeOf(listen(at('nowhere.invalid'), start))).toThrow(
    /^HOST: nowhere\.invalid does not resolve to an address/,
  );
  expect(await outcomeOf(listen(at('192.0.2.1'), start))).toThrow('HOST: 192.0.2.1 is not an address of this machine');
  const server = await listen(at('127.0.0.1'), start);
  const again = (hostname: string) => Bun.serve({ hostname, port: Number(server.port), fetch: () => new Response() });
  expect(await outcomeOf(listen(at('127.0.0.1'), again))).toThrow('PORT: 3000 is in use on 127.0.0.1');
  await server.stop(true);
});
