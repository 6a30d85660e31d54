import { describe, expect, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import { CRAWLERS, type Crawler, MAX_CHECKED_BYTES, robotsText } from '@postshelf/domain';
import { createLinkFetcher } from '@postshelf/media';
import { createSelfSigned } from '@postshelf/testing/certificates';
import { type Answer, saying, startOrigin } from '../imports/support/origin.ts';

const crawlerOf = (network: string): Crawler => {
  const found = CRAWLERS.find(({ networks }) => network in networks);
  if (!found) throw new Error(`Nobody fetches for ${network}.`);
  return found;
};

const META = crawlerOf('instagram');
const TIKTOK = crawlerOf('tiktok');
const BLUESKY = crawlerOf('bluesky');

const never = (): AbortSignal => new AbortController().signal;

const NO_ROBOTS = saying('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n');

const picture = (status = '200 OK', more = ''): Answer =>
  saying(`HTTP/1.1 ${status}\r\nContent-Type: image/jpeg; q=1\r\nContent-Length: 7\r\n${more}\r\n`, 'picture');

/** Returns an answer that depends on the path. By default, there is an image at every path, and no `/robots.txt`. */
const answering =
  (answers: Readonly<Record<string, Answer>>): Answer =>
  (visit) =>
    (answers[visit.path] ?? (visit.path === '/robots.txt' ? NO_ROBOTS : picture()))(visit);

const linesOf = (visits: readonly { readonly head: string }[]) => visits.map(({ head }) => head.split('\r\n')[0]);

describe('fetching a link as a crawler', () => {
  test('uses its user agent, HEAD requests and ranges', async () => {
    await using origin = await startOrigin(
      answering({ '/a.jpg': picture('206 Partial Content', 'Content-Range: bytes 0-6/7000\r\n') }),
    );
    const fetcher = createLinkFetcher({ origins: [origin.url] });
    const [meta, tiktok] = await fetcher.fetch(`${origin.url}/a.jpg?expires=1&signature=x`, [META, TIKTOK], never());
    expect(linesOf(origin.visits)).toEqual([
      'GET /robots.txt HTTP/1.1',
      'GET /a.jpg?expires=1&signature=x HTTP/1.1',
      'HEAD /a.jpg?expires=1&signature=x HTTP/1.1',
      'GET /a.jpg?expires=1&signature=x HTTP/1.1',
    ]);
    const heads = origin.visits.map(({ head }) => head);
    expect(heads[1]).toContain(`\r\nUser-Agent: ${META.userAgent}\r\n`);
    expect(heads[1]).toContain('\r\nRange: bytes=0-524288\r\n');
    expect(heads[3]).toContain(`\r\nUser-Agent: ${TIKTOK.userAgent}\r\n`);
    expect(heads[3]).not.toContain('Range:');
    expect(meta).toMatchObject({
      status: 200,
      contentType: 'image/jpeg',
      robots: 'none',
      redirects: [],
      failure: null,
    });
    expect(tiktok).toMatchObject({ status: 200, contentLength: 7 });
  });

  test('reports the length of the whole file for a partial response', async () => {
    const part = picture('206 Partial Content', 'Content-Range: bytes 0-6/7000\r\n');
    await using origin = await startOrigin(answering({ '/part': part }));
    const [found] = await createLinkFetcher({ origins: [origin.url] }).fetch(`${origin.url}/part`, [META], never());
    expect(found).toMatchObject({ status: 206, contentLength: 7000 });
  });

  test('reports no length for a compressed response', async () => {
    await using origin = await startOrigin(
      answering({
        '/gzip': picture('200 OK', 'Content-Encoding: gzip\r\n'),
        '/utf': picture('200 OK', 'Content-Encoding: UTF-8\r\n'),
      }),
    );
    const fetcher = createLinkFetcher({ origins: [origin.url] });
    const lengths = ['/gzip', '/utf'].map(async (path) => {
      const [found] = await fetcher.fetch(origin.url + path, [TIKTOK], never());
      return found?.contentLength;
    });
    expect(await Promise.all(lengths)).toEqual([null, 7]);
  });

  test('reads no more than the limit, however much is sent', async () => {
    let sent = 0;
    const endless: Answer = ({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n');
      const more = (): void => {
        while (!socket.destroyed && socket.write(Buffer.alloc(65_536))) sent += 65_536;
      };
      socket.on('drain', more).on('error', () => undefined);
      more();
    };
    await using origin = await startOrigin(answering({ '/film': endless }));
    const all = [META, TIKTOK, BLUESKY];
    const [found] = await createLinkFetcher({ origins: [origin.url] }).fetch(`${origin.url}/film`, all, never());
    await origin.allClosed();
    expect(found).toMatchObject({ status: 200, contentLength: null, failure: null });
    // `sent` also counts bytes that are still in the buffers between the server and the client.
    expect(sent).toBeLessThan(MAX_CHECKED_BYTES + 16 * 1024 * 1024);
  });
});

describe('a redirecting link', () => {
  test('is reported without its query, and followed within the service’s own origins', async () => {
    await using store = await startOrigin(answering({}));
    await using origin = await startOrigin(
      answering({ '/a': saying(`HTTP/1.1 302 Found\r\nLocation: ${store.url}/b?X-Amz-Signature=secret\r\n\r\n`) }),
    );
    const fetcher = createLinkFetcher({ origins: [origin.url, store.url] });
    const [found] = await fetcher.fetch(`${origin.url}/a`, [BLUESKY], never());
    expect(found).toMatchObject({ status: 200, redirects: [`${store.url}/b`], failure: null });
  });

  test.each([
    ['a redirect to another port', (other: string) => `${other}/`],
    ['a redirect to another name of the same machine', (other: string) => other.replace('127.0.0.1', 'localhost')],
    ['a redirect to the metadata of a cloud', () => 'http://169.254.169.254/latest/meta-data/'],
    ['a redirect to another scheme', (other: string) => other.replace('http:', 'https:')],
  ])('is not followed: %s', async (_, target) => {
    await using other = await startOrigin(picture());
    await using origin = await startOrigin(
      answering({ '/a': saying(`HTTP/1.1 302 Found\r\nLocation: ${target(other.url)}\r\n\r\n`) }),
    );
    const [found] = await createLinkFetcher({ origins: [origin.url] }).fetch(`${origin.url}/a`, [BLUESKY], never());
    expect(found).toMatchObject({ status: null, failure: { kind: 'refused' } });
    expect(found?.failure?.message).toContain('which isn’t an address of this library.');
    expect(other.connections).toBe(0);
  });

  test('is not requested if the link itself is outside the service’s own origins', async () => {
    await using other = await startOrigin(picture());
    const fetcher = createLinkFetcher({ origins: ['https://media.example.com'] });
    const [found] = await fetcher.fetch(`${other.url}/a`, [BLUESKY], never());
    expect(found?.failure?.kind).toBe('refused');
    expect(other.connections).toBe(0);
  });

  test('that redirects endlessly fails after three redirects', async () => {
    await using origin = await startOrigin(answering({ '/a': saying('HTTP/1.1 302 Found\r\nLocation: /a\r\n\r\n') }));
    const [found] = await createLinkFetcher({ origins: [origin.url] }).fetch(`${origin.url}/a`, [BLUESKY], never());
    expect(found?.failure).toEqual({ kind: 'refused', message: 'The link redirects more than 3 times.' });
    expect(origin.visits).toHaveLength(5);
  });
});

describe('robots.txt', () => {
  const robots = (text: string): Answer => saying(`HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`);

  test.each([
    ['the service’s own', robotsText(''), '/files/a', ['allowed', 'allowed', 'allowed']],
    ['the service’s own, for another path', robotsText(''), '/previews/a', ['disallowed', 'disallowed', 'disallowed']],
    [
      'for one crawler',
      'User-agent: facebookexternalhit\nDisallow: /',
      '/files/a',
      ['disallowed', 'allowed', 'allowed'],
    ],
    ['for all crawlers', 'User-agent: *\nDisallow: /files', '/files/a', ['disallowed', 'disallowed', 'disallowed']],
    ['empty', '', '/files/a', ['allowed', 'allowed', 'allowed']],
  ])('is judged for each crawler: %s', async (_, text, path, expected) => {
    await using origin = await startOrigin(answering({ '/robots.txt': robots(text) }));
    const fetcher = createLinkFetcher({ origins: [origin.url] });
    const found = await fetcher.fetch(origin.url + path, [META, TIKTOK, BLUESKY], never());
    expect(found.map((one): string => one.robots)).toEqual(expected);
    expect(linesOf(origin.visits).filter((line) => line?.includes('robots'))).toHaveLength(1);
  });

  test('is read even if its server compresses it', async () => {
    const body = gzipSync('User-agent: *\nDisallow: /files');
    const answer = saying(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`, body);
    await using origin = await startOrigin(answering({ '/robots.txt': answer }));
    const [found] = await createLinkFetcher({ origins: [origin.url] }).fetch(`${origin.url}/files/a`, [META], never());
    expect(found?.robots).toBe('disallowed');
  });

  test.each(['zstd', 'gzip, br', 'deflate'])(
    'counts as missing if the response is a 404 page labelled %s',
    async (coding) => {
      const missing = saying(
        `HTTP/1.1 404 Not Found\r\nContent-Encoding: ${coding}\r\nContent-Length: 4\r\n\r\n`,
        'page',
      );
      await using origin = await startOrigin(answering({ '/robots.txt': missing }));
      const [found] = await createLinkFetcher({ origins: [origin.url] }).fetch(`${origin.url}/a`, [META], never());
      expect(found?.robots).toBe('none');
    },
  );

  test('is unknown if it cannot be read', async () => {
    await using origin = await startOrigin(answering({ '/robots.txt': saying('HTTP/1.1 503 Busy\r\n\r\n') }));
    const [found] = await createLinkFetcher({ origins: [origin.url] }).fetch(`${origin.url}/a`, [META], never());
    expect(found).toMatchObject({ robots: 'unknown', status: 200 });
  });
});

describe('a server that cannot be reached', () => {
  test('is reported for every crawler', async () => {
    const origin = await startOrigin(picture());
    await origin.close();
    const found = await createLinkFetcher({ origins: [origin.url] }).fetch(`${origin.url}/a`, [META, TIKTOK], never());
    const message = 'The server at 127.0.0.1 refused the connection.';
    expect(found.map(({ status, failure }) => ({ status, failure }))).toEqual([
      { status: null, failure: { kind: 'unreachable', message } },
      { status: null, failure: { kind: 'unreachable', message } },
    ]);
  });

  test('is reported if its name does not exist', async () => {
    const resolve = async (): Promise<never[]> => [];
    const link = 'https://media.example.com/a';
    const fetcher = createLinkFetcher({ origins: ['https://media.example.com'], resolve });
    const [found] = await fetcher.fetch(link, [META], never());
    expect(found?.failure?.message).toBe('The host media.example.com was not found.');
  });

  test('is reported if its certificate is invalid', async () => {
    await using origin = await startOrigin(picture(), { tls: await createSelfSigned(['files.test']) });
    const resolve = async () => [{ address: '127.0.0.1', family: 4 as const }];
    const url = `https://files.test:${origin.port}`;
    const [found] = await createLinkFetcher({ origins: [url], resolve }).fetch(`${url}/a`, [META], never());
    expect(found?.failure).toEqual({
      kind: 'unreachable',
      message: 'The certificate of files.test could not be verified.',
    });
  });

  test('is reported for every crawler if the request times out', async () => {
    await using origin = await startOrigin(answering({ '/robots.txt': NO_ROBOTS, '/a': () => undefined }));
    const ending = new AbortController();
    const fetching = createLinkFetcher({ origins: [origin.url] }).fetch(
      `${origin.url}/a`,
      [META, TIKTOK],
      ending.signal,
    );
    await origin.nextVisit();
    await origin.nextVisit();
    ending.abort(new DOMException('late', 'TimeoutError'));
    const found = await fetching;
    expect(found.map(({ failure }) => failure?.message)).toEqual([
      'The server at 127.0.0.1 did not answer in time.',
      'The server at 127.0.0.1 did not answer in time.',
    ]);
    await origin.allClosed();
  });
});
