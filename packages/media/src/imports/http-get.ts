import { type IncomingMessage, type RequestOptions, request as requestByHttp } from 'node:http';
import { request as requestByHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { noConnection } from './failures.ts';
import type { Address } from './resolve.ts';
import type { Target } from './target.ts';

/** Bytes of an answer's head, and of the trailer of a chunked body. Node's own default; NODE_OPTIONS can't raise it. */
const MAX_HEAD_BYTES = 16 * 1024;

/** Milliseconds for each address of a name but the last; the runtime's own fraction of a second is short for a far one. */
const ATTEMPT_TIMEOUT = 2000;

const HEADERS = { Accept: '*/*', 'Accept-Encoding': 'identity', 'User-Agent': 'Postshelf/1.0', Connection: 'close' };

/** One request and its answer, on a connection of their own. */
export interface HttpResponse {
  readonly status: number;
  readonly response: IncomingMessage;
  /** What went wrong with the connection since the head of the answer came; null when nothing did. */
  failure(): Error | null;
  /** Ends the connection. A repeat does nothing. */
  close(): void;
}

export interface HttpGetOptions {
  /** The only addresses that are connected to, whatever the host's name resolves to meanwhile. */
  readonly addresses: readonly Address[];
  /** Ends the connection, at any time. */
  readonly signal: AbortSignal;
  /** PEM; trusted in the place of the certificate authorities that the runtime knows. */
  readonly ca: string | undefined;
}

/**
 * Sends a GET and waits for the head of the answer; no byte of the body is read. Proxies in the environment are passed
 * by, nothing that identifies anybody is sent, a certificate must be good for the name, and nothing is decompressed.
 * Not `fetch`: under Bun it takes proxies from the environment and can't be held to an address.
 *
 * @throws RemoteError `failed`
 */
export async function httpGet(target: Target, { addresses, signal, ca }: HttpGetOptions): Promise<HttpResponse> {
  signal.throwIfAborted();
  const options = {
    ...requestOptions(target),
    agent: false,
    autoSelectFamilyAttemptTimeout: ATTEMPT_TIMEOUT,
    lookup: pinnedTo(addresses),
    maxHeaderSize: MAX_HEAD_BYTES,
  };
  return new Promise((resolve, reject) => {
    let failure: Error | null = null;
    const request =
      target.url.protocol === 'https:'
        ? requestByHttps({ ...options, ...tlsOptions(target.host), ...(ca && { ca }) })
        : requestByHttp(options);
    const abandon = (): void => void request.destroy();
    signal.addEventListener('abort', abandon, { once: true });
    const answer = (response: IncomingMessage): void => {
      resolve({ status: response.statusCode ?? 0, response, failure: () => failure, close: abandon });
    };
    request.on('response', answer);
    request.on('upgrade', (response, socket) => {
      socket.destroy();
      answer(response);
    });
    request.on('error', (error) => {
      failure = error;
      reject(noConnection(target.name, error));
    });
    request.on('close', () => {
      signal.removeEventListener('abort', abandon);
      // Where the connection ended without an error and without an answer.
      reject(noConnection(target.name, failure));
    });
    request.end();
  });
}

/** In the place of DNS: answers what was checked before. Not asked for an IP address, which was checked as it stands. */
const pinnedTo =
  (addresses: readonly Address[]): LookupFunction =>
  (_host, options, callback) => {
    const [first] = addresses;
    if (options.all) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };

/** Where the request goes. */
function requestOptions({ url, host }: Target): RequestOptions {
  const bracketed = isIP(host) === 6 ? `[${host}]` : host;
  return {
    headers: { Host: url.port === '' ? bracketed : `${bracketed}:${url.port}`, ...HEADERS },
    host,
    path: url.pathname + url.search,
    port: url.port,
  };
}

/** Set explicitly, or NODE_TLS_REJECT_UNAUTHORIZED could undo it. An IP address is no server name (RFC 6066 section 3). */
const tlsOptions = (host: string) => ({ rejectUnauthorized: true, servername: isIP(host) === 0 ? host : '' });
