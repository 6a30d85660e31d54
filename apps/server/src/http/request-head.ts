import { Refusal } from '@postshelf/domain';

const WRONG_HOST = 'The Host header is not valid.';

/**
 * Its size is limited by the runtime (docs/decisions/25-bun.md).
 *
 * @throws Refusal `malformed` for an invalid Host header, or several of them (RFC 9112 section 3.2)
 */
export function requireHead({ url, headers }: Request): void {
  // With an invalid Host the URL can't be parsed; several are joined, while the URL has the first.
  if (URL.canParse(url) && !/[\s,]/.test(headers.get('host') ?? '')) return;
  throw new Refusal({ code: 'malformed', message: WRONG_HOST });
}

/** As load balancers such as HAProxy send them: by HTTP/1.0, which has no Host. */
const BARE_PROBE = /^\/(?:health|ready)$/;

/** With a URL that can be parsed, if it is a probe without a Host. */
export const withHost = (request: Request): Request =>
  BARE_PROBE.test(request.url) && !request.headers.has('host')
    ? new Request(`http://localhost${request.url}`, request)
    : request;
