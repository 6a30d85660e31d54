import { isIP } from 'node:net';
import {
  type Crawler,
  type FetchedLink,
  type LinkFetcher,
  MAX_CHECKED_BYTES,
  MAX_REDIRECTS,
  RemoteError,
  type RobotsVerdict,
} from '@postshelf/domain';
import robotsParser from 'robots-parser';
import { codingOf, compressionsIn, decompress } from '../imports/content-coding.ts';
import { Lifetime } from '../imports/download-lifetime.ts';
import { cutOff, noAnswer, notFound, refused } from '../imports/failures.ts';
import { sendRequest } from '../imports/http-request.ts';
import { followRedirect, parseUrl, type RemoteUrl } from '../imports/remote-url.ts';
import { type Address, type Resolve, resolveBySystem } from '../imports/resolve.ts';
import { type HttpResponse, isRedirect } from '../imports/response.ts';

/** Maximum bytes of a robots.txt that are read. Matching against more would take long. */
const MAX_ROBOTS = 32 * 1024;

export interface LinkFetcherOptions {
  /** The only origins that may be reached, even if their addresses aren't public. */
  readonly origins: readonly string[];
  /** Default: the operating system's resolver. */
  readonly resolve?: Resolve;
  /** Certificate authorities in PEM format, which are trusted instead of the runtime's. */
  readonly ca?: string;
}

/**
 * Creates a link fetcher. It fetches only from the library's own origins, so that callers can't direct requests
 * elsewhere.
 */
export function createLinkFetcher({ origins, resolve = resolveBySystem, ca }: LinkFetcherOptions): LinkFetcher {
  const own = new Set(origins);

  const addressesOf = async ({ host, name }: RemoteUrl): Promise<readonly Address[]> => {
    const family = isIP(host);
    if (family !== 0) return [{ address: host, family: family === 6 ? 6 : 4 }];
    try {
      return await resolve(host);
    } catch (cause) {
      throw notFound(name, cause);
    }
  };

  const send = async (remote: RemoteUrl, { lifetime, ...request }: Asked): Promise<HttpResponse> => {
    if (!own.has(remote.url.origin))
      throw refused(`The link leads to ${remote.url.origin}, which isn’t an address of this library.`);
    const addresses = await lifetime.waitFor(addressesOf(remote));
    if (addresses.length === 0) throw notFound(remote.name);
    return lifetime.waitFor(sendRequest(remote, { ...request, addresses, ca, signal: lifetime.signal }));
  };

  /**
   * Follows redirects. Returns the final response and its URL, and adds the URL of each redirect's target to `passed`.
   *
   * @throws RemoteError
   */
  const follow = async (link: RemoteUrl, request: Asked, passed: string[]) => {
    let remote = link;
    for (;;) {
      const response = await send(remote, request);
      if (!isRedirect(response)) return { response, remote };
      response.close();
      if (passed.length === MAX_REDIRECTS) throw refused(`The link redirects more than ${MAX_REDIRECTS} times.`);
      remote = followRedirect(remote, response.headers.location);
      passed.push(remote.url.origin + remote.url.pathname);
    }
  };

  const readRobots = async ({ url }: RemoteUrl, { userAgent }: Crawler, lifetime: Lifetime): Promise<Robots> => {
    const address = new URL('/robots.txt', url.origin);
    try {
      const request = { method: 'GET', headers: { 'User-Agent': userAgent, Accept: 'text/plain' }, lifetime } as const;
      const { response, remote } = await follow(parseUrl(address.href), request, []);
      if (response.status !== 200) {
        response.close();
        return response.status >= 500 ? 'unknown' : 'none';
      }
      const bytes = await readUpTo(plain(response, remote, lifetime), MAX_ROBOTS, remote);
      return robotsParser(address.href, new TextDecoder().decode(bytes));
    } catch (error) {
      if (error instanceof RemoteError) return 'unknown';
      throw error;
    }
  };

  const fetchAs = async (link: RemoteUrl, crawler: Crawler, limit: number, lifetime: Lifetime) => {
    const redirects: string[] = [];
    const headers = { 'User-Agent': crawler.userAgent, Accept: '*/*', 'Accept-Encoding': 'gzip, deflate' };
    if (crawler.asksFirst) {
      const { response } = await follow(link, { method: 'HEAD', headers, lifetime }, redirects);
      response.close();
      if (response.status >= 400) return { ...factsOf(response), redirects };
      redirects.length = 0;
    }
    const ranged = crawler.range === null ? headers : { ...headers, Range: crawler.range };
    const { response, remote } = await follow(link, { method: 'GET', headers: ranged, lifetime }, redirects);
    await readUpTo(response, limit, remote);
    return { ...factsOf(response), redirects };
  };

  const fetchAll = async (link: RemoteUrl, crawlers: readonly Crawler[], lifetime: Lifetime) => {
    const limit = Math.floor((MAX_CHECKED_BYTES - MAX_ROBOTS) / crawlers.length);
    const found: FetchedLink[] = [];
    let robots: Robots | null = null;
    for (const crawler of crawlers) {
      const last = found.at(-1);
      // The other crawlers wouldn't reach the host either, and each might wait just as long.
      if (last?.failure?.kind === 'unreachable') {
        found.push({ ...NOTHING, failure: last.failure });
        continue;
      }
      let start = performance.now();
      let verdict: RobotsVerdict = 'unknown';
      const outcome = await attempt(link, lifetime, async () => {
        robots ??= await readRobots(link, crawler, lifetime);
        verdict = verdictOf(robots, link.url, crawler);
        start = performance.now();
        return fetchAs(link, crawler, limit, lifetime);
      });
      const seconds = Math.round(performance.now() - start) / 1000;
      found.push({ ...NOTHING, ...outcome, robots: verdict, seconds });
    }
    return found;
  };

  return {
    async fetch(address, crawlers, signal) {
      const lifetime = new Lifetime(signal);
      try {
        return await fetchAll(parseUrl(address), crawlers, lifetime);
      } finally {
        lifetime.end();
      }
    },
  };
}

/**
 * Does the work. If it fails because of the remote server or a time-out, returns the failure instead of throwing it.
 */
async function attempt<T extends object>(
  { name }: RemoteUrl,
  { signal }: Lifetime,
  work: () => Promise<T>,
): Promise<T | Pick<FetchedLink, 'failure'>> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted) return { failure: failureOf(noAnswer(name)) };
    if (error instanceof RemoteError) return { failure: failureOf(error) };
    throw error;
  }
}

interface Asked {
  readonly method: 'GET' | 'HEAD';
  readonly headers: Readonly<Record<string, string>>;
  readonly lifetime: Lifetime;
}

type Robots = ReturnType<typeof robotsParser> | 'none' | 'unknown';

const NOTHING = {
  status: null,
  redirects: [],
  contentType: null,
  contentLength: null,
  seconds: 0,
  robots: 'unknown',
  failure: null,
} as const satisfies FetchedLink;

function verdictOf(robots: Robots, url: URL, { tokens: [token = ''] }: Crawler): RobotsVerdict {
  if (typeof robots === 'string') return robots;
  return robots.isAllowed(url.href, token) === false ? 'disallowed' : 'allowed';
}

function failureOf({ problem }: RemoteError): NonNullable<FetchedLink['failure']> {
  return { kind: problem.kind === 'refused' ? 'refused' : 'unreachable', message: problem.message };
}

function factsOf({ status, headers }: HttpResponse) {
  const [, total] = /^bytes \d+-\d+\/(\d+)$/.exec(headers['content-range'] ?? '') ?? [];
  // The length of the compressed form doesn't reveal the file's size.
  const isCompressed = compressionsIn(headers['content-encoding']).length > 0;
  const length = isCompressed ? undefined : (total ?? headers['content-length']);
  const type = headers['content-type']?.split(';')[0]?.trim() ?? null;
  return { status, contentType: type, contentLength: length === undefined ? null : Number(length) };
}

/**
 * Returns the body of a response, decompressed.
 *
 * @throws RemoteError if the compression isn't supported
 */
function plain({ headers, body, close }: HttpResponse, { name: host }: RemoteUrl, { signal }: Lifetime) {
  const coding = codingOf(headers['content-encoding'], host);
  return { body: coding ? decompress(body, { coding, host, signal }) : body, close };
}

/**
 * Reads up to a limit, then closes the connection, even if more is left.
 *
 * @throws RemoteError if the body breaks off before the limit
 */
async function readUpTo(
  { body, close }: Pick<HttpResponse, 'body' | 'close'>,
  limit: number,
  { name }: RemoteUrl,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let left = limit;
  try {
    while (left > 0) {
      const { done, value } = await body.next();
      if (done) break;
      // A chunk is valid only until the next one is read.
      chunks.push(new Uint8Array(value.subarray(0, left)));
      left -= value.length;
    }
  } catch (cause) {
    throw cutOff(name, cause);
  } finally {
    close();
  }
  return Buffer.concat(chunks);
}
