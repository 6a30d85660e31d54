import { authenticate, authenticateSession } from '@postshelf/application';
import { type AccessToken, Refusal, type Session } from '@postshelf/domain';
import type { Service } from './service.ts';
import { ownOriginOf, readSessionCookie } from './session-cookie.ts';

/** As much of a request's context as says who asks. */
interface Asking {
  readonly service: Service;
  readonly request: Request;
  /** Filled in where a session lets the request in. */
  session: Session | null;
}

/** Methods that change nothing (RFC 9110 section 9.2.1), by tRPC as well. */
const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/**
 * The token of a request: that of its `Authorization` header, or else of the session in its cookie. Browsers send a cookie
 * whoever made the request, so by it only the service's own pages change anything.
 *
 * @throws Refusal `unauthenticated`, and `forbidden` for a session on another origin's page
 */
export function identify(asking: Asking): Promise<AccessToken> {
  const { service, request } = asking;
  const authorization = request.headers.get('authorization');
  // Not asynchronous itself: each promise around another shows in the time of a small read.
  return authorization === null ? identifySession(asking) : authenticate(service.ports, authorization);
}

async function identifySession(asking: Asking): Promise<AccessToken> {
  const { service, request } = asking;
  const secret = readSessionCookie(service, request);
  if (secret === null) throw new Refusal({ code: 'unauthenticated' });
  const { session, token } = await authenticateSession(service.ports, secret);
  if (!SAFE_METHODS.includes(request.method)) requireOwnOrigin(service, request);
  asking.session = session;
  return token;
}

/** To operators, whose own pages are refused where nobody has said what the service is called. */
const BY_PROXY = 'Behind a proxy, PUBLIC_URL has to be set.';

/** @throws Refusal `forbidden` unless the request was made by a page of this service, as browsers say of each that may change something */
export function requireOwnOrigin(service: Service, request: Request): void {
  const own = ownOriginOf(service, request);
  if (request.headers.get('origin') === own) return;
  const message = `The Origin of the request must be ${own}, the service's own.`;
  throw new Refusal({ code: 'forbidden', message: service.ownOrigin === null ? `${message} ${BY_PROXY}` : message });
}
