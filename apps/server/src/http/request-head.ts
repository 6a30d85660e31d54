import { Refusal } from '@postshelf/domain';

const WRONG_HOST = 'The Host header is not valid.';

/**
 * Checks the head of a request; the runtime limits its size (docs/decisions/25-bun.md).
 *
 * @throws Refusal `malformed` for an invalid Host header, or several of them (RFC 9112 section 3.2)
 */
export function requireHead({ url, headers }: Request): void {
  // With an invalid Host the URL can't be parsed; several are joined, while the URL has the first.
  if (URL.canParse(url) && !/[\s,]/.test(headers.get('host') ?? '')) return;
  throw new Refusal({ code: 'malformed', message: WRONG_HOST });
}

/** Probes without a Host, as load balancers such as HAProxy send them in HTTP/1.0. */
const BARE_PROBE = /^\/(?:health|ready)$/;

/** Returns the request; a probe without a Host gets a URL that can be parsed. */
export const withHost = (request: Request): Request =>
  BARE_PROBE.test(request.url) && !request.headers.has('host')
    ? new Request(`http://localhost${request.url}`, request)
    : request;
