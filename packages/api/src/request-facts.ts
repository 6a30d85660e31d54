import { isIP } from 'node:net';

/** Matches request ids of limited length whose characters are safe in a log. */
const REQUEST_ID = /^[\w.-]{1,64}$/;

export interface RequestFacts {
  /** The request's id, which is sent to the client in `X-Request-Id` and logged in every line about the request. */
  readonly id: string;
  readonly request: Request;
  /** The route that matched, with parameters in braces; null if no route did. */
  readonly route: string | null;
  /** The client's IP address; null if the client has already disconnected. */
  readonly address: string | null;
  /** The address of the connection's other end, which is the proxy's if there is a proxy. */
  readonly peer: string | null;
  readonly signal: AbortSignal;
}

/** The source of client addresses, and whether a proxy's headers are trusted. */
interface Addresses {
  readonly trustProxy: boolean;
  readonly peerOf: (request: Request) => string | null;
}

export function factsOf({ trustProxy, peerOf }: Addresses, request: Request, route: string | null): RequestFacts {
  const given = trustProxy ? request.headers.get('x-request-id') : null;
  return {
    id: given !== null && REQUEST_ID.test(given) ? given : Bun.randomUUIDv7(),
    request,
    route,
    // Only a trusted proxy's header counts, because any other client could forge it.
    address: (trustProxy ? forwardedFor(request) : null) ?? peerOf(request),
    // `peer` and `signal` are looked up only when they are read, because `peer` takes a system call, and `signal`
    // allocates an object.
    get peer() {
      return peerOf(request);
    },
    get signal() {
      return request.signal;
    },
  };
}

/** Returns the last address, which our proxy added. The client may have forged the addresses before it. */
function forwardedFor(request: Request): string | null {
  const last = request.headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() ?? '';
  return isIP(last) === 0 ? null : last;
}
