import { MAX_REDIRECTS, type RemoteFile, type RemoteFiles } from '@postshelf/domain';
import { AddressGuard } from './address-guard.ts';
import { ResponseBody } from './body.ts';
import { decompress } from './content-coding.ts';
import { Lifetime } from './download-lifetime.ts';
import { noAnswer, refused, tookTooLong } from './failures.ts';
import type { Connections } from './http-request.ts';
import { parseNetwork } from './ip-networks.ts';
import { followRedirect, parseUrl, type RemoteUrl } from './remote-url.ts';
import { type Resolve, resolveBySystem } from './resolve.ts';
import { announcedFile, type HttpResponse, isRedirect } from './response.ts';

export interface RemoteFilesOptions {
  /** Networks in CIDR notation that may be reached although they aren't public. Default none. */
  readonly allowedNetworks?: readonly string[];
  /** Default: the operating system's resolver. */
  readonly resolve?: Resolve;
  /** Maximum milliseconds until the first byte of the body, redirects included. Default 10 s. */
  readonly headTimeout?: number;
  /** Maximum milliseconds without a byte while the reader waits. Default 30 s. */
  readonly idleTimeout?: number;
  /** Minimum bytes per second while the reader waits for them. Default 4 KB. */
  readonly minimumRate?: number;
  /** Maximum milliseconds for the whole download, including the reader's own time. Default 1 hour. */
  readonly maxDuration?: number;
  /** Certificate authorities in PEM format, which are trusted instead of the runtime's. */
  readonly ca?: string;
}

let client: Promise<typeof import('./http-request.ts')> | undefined;

/** Loads the platform's HTTP client when the first URL is opened. */
const loadClient = () => {
  client ??= import('./http-request.ts');
  return client;
};

/**
 * Downloads files over HTTP from public hosts (docs/api.md, "Upload media"). Connects only to addresses that were
 * checked, and keeps connections for a few seconds.
 *
 * The caller's signal also ends the body. A file must be read or closed: until then its connection stays open, at most
 * for `maxDuration`.
 *
 * @throws Error that names the first invalid allowed network
 */
export function createRemoteFiles(options: RemoteFilesOptions = {}): RemoteFiles {
  const { headTimeout = 10_000, idleTimeout = 30_000, minimumRate = 4096, maxDuration = 3_600_000, ca } = options;
  const guard = new AddressGuard(
    (options.allowedNetworks ?? []).map((cidr) => ({ network: parseNetwork(cidr), port: null })),
    options.resolve ?? resolveBySystem,
  );
  let connections: Connections | undefined;

  const ask = async (remote: RemoteUrl, lifetime: Lifetime): Promise<HttpResponse> => {
    const { sendRequest, Connections } = await loadClient();
    connections ??= new Connections();
    const addresses = await lifetime.waitFor(guard.resolveAllowed(remote));
    const headers = { Accept: '*/*', 'Accept-Encoding': 'identity' };
    const { signal } = lifetime;
    return lifetime.waitFor(sendRequest(remote, { method: 'GET', headers, addresses, ca, connections, signal }));
  };

  const receive = async (source: HttpResponse, remote: RemoteUrl, lifetime: Lifetime): Promise<RemoteFile> => {
    const { name: host } = remote;
    const { size, coding } = announcedFile(source, host);
    const bytes = coding ? decompress(source.body, { coding, host, signal: lifetime.signal }) : source.body;
    const body = new ResponseBody(bytes, host, lifetime, { idleTimeout, minimumRate });
    await body.begin();
    return { announcedSize: size, body, close: () => lifetime.end() };
  };

  return {
    open: async (url, { signal }) => {
      const lifetime = new Lifetime(signal);
      try {
        let remote = parseUrl(url);
        lifetime.endAfter(maxDuration, () => tookTooLong(remote.name));
        const headCame = lifetime.endAfter(headTimeout, () => noAnswer(remote.name));
        for (let redirects = 0; ; redirects += 1) {
          const source = await ask(remote, lifetime);
          if (!isRedirect(source)) {
            const file = await receive(source, remote, lifetime);
            headCame();
            return file;
          }
          source.close();
          if (redirects === MAX_REDIRECTS) throw refused(`The URL redirects more than ${MAX_REDIRECTS} times.`);
          remote = followRedirect(remote, source.headers.location);
        }
      } catch (error) {
        lifetime.end(error);
        throw error;
      }
    },
  };
}
