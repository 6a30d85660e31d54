import { isIP } from 'node:net';
import type { Uuid } from '@postshelf/domain';
import type { RateState } from './rate-limit.ts';

/** What is known of a request while it is answered. */
export interface Visit {
  /** Told to the client in `X-Request-Id`, and in every line of the log about the request. */
  readonly id: string;
  /** The client's IP address; null when it has hung up already. */
  readonly address: string | null;
  /** Who is at the other end of the connection, the proxy where there is one; asking costs a system call. */
  readonly peer: () => string | null;
  /** The route it fell on, parameters in braces. */
  route: string | null;
  /** Bytes of its body that were read. */
  bytesIn: number;
  /** The caller's token, by its id. */
  token: Uuid | null;
  /** How that token stands; null where nothing is limited. */
  rate: RateState | null;
}

/** Ids of requests that a proxy gives: no longer, and of no other characters, than what is safe to show in a log. */
const REQUEST_ID = /^[\w.-]{1,64}$/;

/**
 * Begins a visit. Only a proxy's word is taken for who the client is and what the request is called.
 *
 * @param peer as of {@link Visit}
 */
export function beginVisit(request: Request, peer: () => string | null, trustProxy: boolean): Visit {
  const given = trustProxy ? request.headers.get('x-request-id') : null;
  return {
    id: given !== null && REQUEST_ID.test(given) ? given : Bun.randomUUIDv7(),
    address: (trustProxy ? forwardedFor(request) : null) ?? peer(),
    peer,
    route: null,
    bytesIn: 0,
    token: null,
    rate: null,
  };
}

/** The address that our proxy saw: the last one, as those before it are what the client says of itself. */
function forwardedFor(request: Request): string | null {
  const last = request.headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() ?? '';
  return isIP(last) === 0 ? null : last;
}
