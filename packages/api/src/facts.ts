import { isIP } from 'node:net';

/** Of a length and of characters that are safe in a log. */
const REQUEST_ID = /^[\w.-]{1,64}$/;

export interface Facts {
  /** Sent to the client in `X-Request-Id`, and in every line of the log about the request. */
  readonly id: string;
  readonly request: Request;
  /** The route that matched, parameters in braces; null if none did. */
  readonly route: string | null;
  /** The client's IP address; null if it has disconnected already. */
  readonly address: string | null;
  /** The other end of the connection, which is the proxy's if there is one. */
  readonly peer: string | null;
  readonly signal: AbortSignal;
}

/** Whom the headers of a request are believed. */
interface Addresses {
  readonly trustProxy: boolean;
  readonly peerOf: (request: Request) => string | null;
}

export function factsOf({ trustProxy, peerOf }: Addresses, request: Request, route: string | null): Facts {
  const given = trustProxy ? request.headers.get('x-request-id') : null;
  return {
    id: given !== null && REQUEST_ID.test(given) ? given : Bun.randomUUIDv7(),
    request,
    route,
    address: clientAddress(request, peerOf, trustProxy),
    // Looked up when asked for: the one costs a system call, the other an object.
    get peer() {
      return peerOf(request);
    },
    get signal() {
      return request.signal;
    },
  };
}

/** From a proxy's header if the proxy is trusted, as any other client could write any address there. */
export const clientAddress = (
  request: Request,
  peerOf: (request: Request) => string | null,
  trustProxy: boolean,
): string | null => (trustProxy ? forwardedFor(request) : null) ?? peerOf(request);

/** The last one, which our proxy saw: the client itself may have written those before it. */
function forwardedFor(request: Request): string | null {
  const last = request.headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() ?? '';
  return isIP(last) === 0 ? null : last;
}
