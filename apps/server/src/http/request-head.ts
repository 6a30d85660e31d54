import { Refusal } from '@postshelf/domain';

const WRONG_HOST = 'The Host header is not valid.';

/**
 * Checks the head of a request. The runtime limits the size of the head (docs/decisions/25-bun.md).
 *
 * @throws Refusal `malformed` for an invalid Host header, or for several Host headers (RFC 9112 section 3.2)
 */
export function requireHead({ url, headers }: Request): void {
  // A URL with an invalid Host can't be parsed. Several Host headers show in `headers`, which joins their values; the
  // URL contains only the first value.
  if (URL.canParse(url) && !/[\s,]/.test(headers.get('host') ?? '')) return;
  throw new Refusal({ code: 'malformed', message: WRONG_HOST });
}

/** Matches probes without a Host, as load balancers such as HAProxy send them in HTTP/1.0. */
const BARE_PROBE = /^\/(?:health|ready)$/;

/** Returns the request, but gives a probe without a Host a URL that can be parsed. */
export const withHost = (request: Request): Request =>
  BARE_PROBE.test(request.url) && !request.headers.has('host')
    ? new Request(`http://localhost${request.url}`, request)
    : request;
