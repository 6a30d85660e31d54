import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createRemoteFiles } from '@postshelf/media';
import type { Address } from '../../src/imports/resolve.ts';
import {
  ADDRESSES,
  DISGUISES,
  four,
  INVALID,
  NAMES,
  WITH_CREDENTIALS,
  WRONG_SCHEMES,
} from '../support/hostile-urls.ts';
import { words } from '../support/words.ts';
import { connectionsTo, filesFromLoopback, never, problemOf } from './support/fetching.ts';
import { giving, type Origin, redirecting, startOrigin } from './support/origin.ts';

/** Opens the URL. Returns a promise of the reason for the refusal, and the names that were looked up. */
function attack(url: string, resolved: readonly Address[] = []) {
  const asked: string[] = [];
  const resolve = async (host: string) => {
    asked.push(host);
    return resolved;
  };
  const files = createRemoteFiles({ resolve });
  return { problem: problemOf(files.open(url, { signal: never() })), asked };
}

const notPublic = (url: string): unknown => ({
  kind: 'refused',
  message: `The host ${new URL(url).hostname} is not publicly reachable.`,
});

describe('an import from a hostile URL', () => {
  let inside: Origin;
  beforeAll(async () => {
    inside = await startOrigin(giving('secret'));
  });
  afterAll(async () => {
    // None of the URLs in this block may lead to a connection to the server.
    expect(await connectionsTo(inside)).toBe(0);
    await inside.close();
  });

  describe.each(Object.entries(ADDRESSES))('%s', (_kind, hosts) => {
    test.each(hosts)('is refused before any connection to %j', async (host) => {
      const url = `http://${host}:${inside.port}/`;
      const { problem, asked } = attack(url);
      expect(await problem).toEqual(notPublic(url) as never);
      expect(asked).toEqual([]);
    });
  });

  test.each(DISGUISES)('is refused before any connection to %j', async (shown) => {
    const url = shown.replace('HOST', `127.0.0.1:${inside.port}`);
    const { problem, asked } = attack(url);
    expect(await problem).toEqual({ kind: 'refused', message: 'The host 127.0.0.1 is not publicly reachable.' });
    expect(asked).toEqual([]);
  });

  describe.each(['http', 'https'])('over %s', (scheme) => {
    test.each(Object.entries(NAMES))('is refused for %s, a name with an internal address', async (name, addresses) => {
      const url = `${scheme}://${name}:${inside.port}/`;
      const { problem, asked } = attack(url, addresses);
      expect(await problem).toEqual(notPublic(url) as never);
      expect(asked).toHaveLength(1);
    });
  });

  test.each(['localhost', 'LOCALHOST', 'localhost.', 'LocalHost.'])(
    'is refused for %s, a name that the system itself resolves',
    async (name) => {
      const problem = await problemOf(createRemoteFiles().open(`http://${name}:${inside.port}/`, { signal: never() }));
      expect(problem).toEqual(notPublic(`http://${name}/`) as never);
    },
  );

  test.each(WRONG_SCHEMES)('is refused for %s, which has another scheme', async (url) => {
    const { problem, asked } = attack(url);
    expect(await problem).toEqual({ kind: 'refused', message: 'The URL must begin with http:// or https://.' });
    expect(asked).toEqual([]);
  });

  test.each(INVALID)('is refused for %j, which is invalid', async (url) => {
    const { problem, asked } = attack(url);
    expect(await problem).toEqual({ kind: 'refused', message: 'The URL is not valid.' });
    expect(asked).toEqual([]);
  });

  test.each(WITH_CREDENTIALS)('is refused for http://%s…, which has credentials', async (credentials) => {
    const { problem, asked } = attack(`http://${credentials}127.0.0.1:${inside.port}/`);
    const message = 'The URL must not hold a user name or a password.';
    expect(await problem).toEqual({ kind: 'refused', message });
    expect(asked).toEqual([]);
  });

  test('does not reveal whether a server listens', async () => {
    const listening = await attack(`http://127.0.0.1:${inside.port}/`).problem;
    const silent = await attack('http://127.0.0.1:1/').problem;
    expect(listening).toEqual(silent);
  });
});

describe('a redirect to an internal address', () => {
  let inside: Origin;
  beforeAll(async () => {
    inside = await startOrigin(giving('secret'), { host: '127.0.0.2' });
  });
  afterAll(async () => {
    expect(await connectionsTo(inside, '127.0.0.2')).toBe(0);
    await inside.close();
  });

  /**
   * Follows a redirect to the location. Here 127.0.0.1 represents the public internet, and 127.0.0.2 an internal
   * address.
   */
  async function follow(location: string, resolved: readonly Address[] = []) {
    await using outside = await startOrigin(redirecting(location.replace('PORT', `${inside.port}`)));
    const files = filesFromLoopback({ resolve: async () => resolved });
    return await problemOf(files.open(outside.url, { signal: never() }));
  }

  test.each([
    ['http://127.0.0.2:PORT/', '127.0.0.2'],
    ['https://127.0.0.2:PORT/', '127.0.0.2'],
    ['//127.0.0.2:PORT/', '127.0.0.2'],
    ['\\\\127.0.0.2:PORT\\', '127.0.0.2'],
    ['http://2130706434:PORT/', '127.0.0.2'],
    ['http://0x7f.2:PORT/', '127.0.0.2'],
    ['http://[::ffff:127.0.0.2]:PORT/', '[::ffff:7f00:2]'],
    ['http://[::1]:PORT/', '[::1]'],
    ['http://169.254.169.254/latest/meta-data/', '169.254.169.254'],
    ['http://１２７.0.0.2:PORT/', '127.0.0.2'],
  ])('is refused before any connection to %s', async (location, host) => {
    expect(await follow(location)).toEqual({
      kind: 'refused',
      message: `The host ${host} is not publicly reachable.`,
    });
  });

  test.each([
    ['an internal address', four('127.0.0.2')],
    ['an allowed and an internal address', four('127.0.0.1', '127.0.0.2')],
    ['an internal and an allowed address', four('127.0.0.2', '127.0.0.1')],
  ])('is refused before any connection to a name with %s', async (_which, addresses) => {
    const message = 'The host inside.test is not publicly reachable.';
    expect(await follow('http://inside.test:PORT/', addresses)).toEqual({ kind: 'refused', message });
  });

  const NOT_HTTP = 'that is neither http nor https';
  const CREDENTIALS = 'with a user name or a password';
  test.each([
    ...words('ftp://127.0.0.2/ file:///etc/passwd gopher://127.0.0.2/ data:,a').map((url) => [url, NOT_HTTP]),
    ...words('http://user@127.0.0.2:PORT/ http://a:b@127.0.0.1/ //:b@127.0.0.2/').map((url) => [url, CREDENTIALS]),
  ])('is refused for %s, a URL %s', async (location = '', what = '') => {
    const message = `The server at 127.0.0.1 redirects to a URL ${what}.`;
    expect(await follow(location)).toEqual({ kind: 'refused', message });
  });
});
