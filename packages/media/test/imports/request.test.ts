import { describe, expect, test } from 'bun:test';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { download, filesFromLoopback } from './support/fetching.ts';
import { giving, redirecting, saying, startOrigin } from './support/origin.ts';

const PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];

describe('an import request', () => {
  test('has the expected lines and no others', async () => {
    await using origin = await startOrigin(giving('picture'));
    await download(filesFromLoopback(), `${origin.url}/a/b.jpg?c=d&e#fragment`);
    expect(origin.visits.map(({ head }) => head.split('\r\n'))).toEqual([
      [
        'GET /a/b.jpg?c=d&e HTTP/1.1',
        `Host: 127.0.0.1:${origin.port}`,
        'Accept: */*',
        'Accept-Encoding: identity',
        'User-Agent: Postshelf/1.0',
        'Connection: keep-alive',
        '',
        '',
      ],
    ]);
  });

  test('has no Referer and no cookie after a redirect', async () => {
    await using origin = await startOrigin((visit) => {
      const { head } = visit;
      if (head.startsWith('GET /end')) return giving('picture')(visit);
      const location = `http://127.0.0.1:${origin.port}/end`;
      return saying(`HTTP/1.1 302 Found\r\nSet-Cookie: a=b\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`)(
        visit,
      );
    });
    await download(filesFromLoopback(), `${origin.url}/start?token=secret`);
    const [, second = ''] = origin.visits.map(({ head }) => head);
    expect(second).toStartWith('GET /end HTTP/1.1\r\n');
    expect(second).not.toMatch(/cookie|referer|authorization|origin:|secret/i);
    expect(origin.connections).toBe(2);
  });

  test.each([
    ['/%2e%2e/etc', '/etc'],
    ['/a b"<>`{}é.jpg', '/a%20b%22%3C%3E%60%7B%7D%C3%A9.jpg'],
    ["/a?b='c d'", '/a?b=%27c%20d%27'],
    ['/\r\nX-Injected: 1', '/X-Injected:%201'],
    ['/%0d%0aX-Injected:%201', '/%0d%0aX-Injected:%201'],
    ['', '/'],
  ])('for %j has the path %s', async (path, asked) => {
    await using origin = await startOrigin(giving('picture'));
    await download(filesFromLoopback(), `${origin.url}${path}`);
    expect(origin.visits.map((visit) => visit.path)).toEqual([asked]);
    expect(origin.visits[0]?.head).not.toContain('\r\nX-Injected');
  });

  test('names the host of the URL without a trailing dot', async () => {
    await using origin = await startOrigin(giving('picture'));
    const hosts: string[] = [];
    const files = filesFromLoopback({
      resolve: async (host) => {
        hosts.push(host);
        return [{ address: '127.0.0.1', family: 4 }];
      },
    });
    for (const host of ['files.test', 'FILES.test.', 'bücher.test']) {
      await download(files, `http://${host}:${origin.port}/`);
    }
    const asked = ['files.test', 'files.test', 'xn--bcher-kva.test'];
    expect(hosts).toEqual(asked);
    expect(origin.visits.map(({ head }) => /\r\nHost: (.*)\r\n/.exec(head)?.[1])).toEqual(
      asked.map((host) => `${host}:${origin.port}`),
    );
  });

  test('goes to an allowed address in any notation', async () => {
    await using origin = await startOrigin(giving('picture'));
    for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]']) {
      expect(await download(filesFromLoopback(), `http://${host}:${origin.port}/`)).toBe('picture');
    }
  });

  test('ignores proxies in the environment', async () => {
    await using origin = await startOrigin(giving('picture'));
    await using proxy = await startOrigin(giving('from the proxy'));
    const before = Object.fromEntries(
      [...PROXY_VARIABLES, 'NO_PROXY', 'no_proxy'].map((key) => [key, process.env[key]]),
    );
    try {
      for (const key of PROXY_VARIABLES) process.env[key] = proxy.url;
      process.env.NO_PROXY = process.env.no_proxy = '';
      const resolve = async () => [{ address: '127.0.0.1', family: 4 } as const];
      expect(await download(filesFromLoopback(), origin.url)).toBe('picture');
      expect(await download(filesFromLoopback({ resolve }), `http://files.test:${origin.port}/`)).toBe('picture');
    } finally {
      for (const [key, value] of Object.entries(before)) {
        if (value === undefined) delete process.env[key];
        else process.env[key] = value;
      }
    }
    expect(proxy.connections).toBe(0);
    expect(origin.connections).toBe(2);
  });
});

describe('an import connection', () => {
  test('uses the checked address, whatever the name resolves to next', async () => {
    await using checked = await startOrigin(giving('picture'));
    await using rebound = await startOrigin(giving('secret'), { host: '127.0.0.2', port: checked.port });
    const answers = ['127.0.0.1', '127.0.0.2'];
    const asked: string[] = [];
    const files = filesFromLoopback({
      resolve: async (host) => {
        asked.push(host);
        return [{ address: answers.shift() ?? '127.0.0.2', family: 4 }];
      },
    });
    const url = `http://rebinding.test:${checked.port}/`;
    expect(await download(files, url)).toBe('picture');
    expect(asked).toEqual(['rebinding.test']);
    // The next request looks the name up again, and is refused because of the result.
    expect(await outcomeOf(download(files, url))).toThrow('The host rebinding.test is not publicly reachable.');
    expect(asked).toEqual(['rebinding.test', 'rebinding.test']);
    expect([checked.connections, rebound.connections]).toEqual([1, 0]);
  });

  test('looks the name up once for each redirect and uses the result', async () => {
    await using checked = await startOrigin(redirecting('/again'));
    await using rebound = await startOrigin(giving('secret'), { host: '127.0.0.2', port: checked.port });
    const answers = ['127.0.0.1', '127.0.0.1', '127.0.0.2'];
    const files = filesFromLoopback({
      resolve: async () => [{ address: answers.shift() ?? '127.0.0.2', family: 4 }],
    });
    const url = `http://rebinding.test:${checked.port}/`;
    expect(await outcomeOf(download(files, url))).toThrow('The host rebinding.test is not publicly reachable.');
    expect(answers).toEqual([]);
    expect([checked.connections, rebound.connections]).toEqual([2, 0]);
  });

  test('falls back to another address of the name', async () => {
    await using origin = await startOrigin(giving('picture'), { host: '127.0.0.2' });
    const resolve = async () => [
      { address: '127.0.0.1', family: 4 } as const,
      { address: '127.0.0.2', family: 4 } as const,
    ];
    const files = filesFromLoopback({ allowedNetworks: ['127.0.0.0/8'], resolve });
    expect(await download(files, `http://files.test:${origin.port}/`)).toBe('picture');
  });

  test('tries at most two addresses of each family', async () => {
    await using third = await startOrigin(giving('picture'), { host: '127.0.0.3' });
    const addresses = ['127.0.0.1', '127.0.0.2', '127.0.0.3'].map((address) => ({ address, family: 4 }) as const);
    const files = filesFromLoopback({ allowedNetworks: ['127.0.0.0/8'], resolve: async () => addresses });
    const url = `http://files.test:${third.port}/`;
    expect(await outcomeOf(download(files, url))).toThrow('The server at files.test refused the connection.');
    expect(third.connections).toBe(0);
  });
});
