import { authenticate, authenticateSession } from '@postshelf/application';
import { type AccessToken, Refusal, type Session } from '@postshelf/domain';
import type { Service } from './service.ts';
import { ownOriginOf, readSessionCookie } from './session-cookie.ts';

/** The parts of a request's context that identify the caller. */
interface Identifiable {
  readonly service: Service;
  readonly request: Request;
  /** Set if the request has a session's cookie. */
  session: Session | null;
  readonly address: string | null;
  expectBody(caller: string | null): void;
}

/** Methods that change nothing (RFC 9110 section 9.2.1), by tRPC as well. */
const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Authenticates a request, by its `Authorization` header, or else by the session in its cookie. Browsers send cookies
 * with requests from any page, so changes by cookie are only accepted from the service's own pages.
 *
 * @throws Refusal `unauthenticated`, `busy`, and `forbidden` for a session on another origin's page
 */
export function identify(context: Identifiable): Promise<AccessToken> {
  const { service, request } = context;
  const authorization = request.headers.get('authorization');
  // Not an async function: one more promise is measurable in a small read.
  return authorization === null
    ? identifySession(context)
    : authenticate(service.ports, authorization, ({ jti }) => context.expectBody(jti));
}

async function identifySession(context: Identifiable): Promise<AccessToken> {
  const { service, request } = context;
  const secret = readSessionCookie(service, request);
  if (secret === null) throw new Refusal({ code: 'unauthenticated' });
  context.expectBody(context.address);
  const { session, token } = await authenticateSession(service.ports, secret);
  if (!SAFE_METHODS.includes(request.method)) requireOwnOrigin(service, request);
  context.session = session;
  return token;
}

/** A hint for operators whose own pages are refused because the service doesn't know its public address. */
const BY_PROXY = 'Behind a proxy, PUBLIC_URL has to be set.';

/** @throws Refusal `forbidden` unless the request's `Origin`, which browsers send with changes, is the service's own */
export function requireOwnOrigin(service: Service, request: Request): void {
  const own = ownOriginOf(service, request);
  if (request.headers.get('origin') === own) return;
  const message = `The Origin of the request must be ${own}, the service's own.`;
  throw new Refusal({ code: 'forbidden', message: service.ownOrigin === null ? `${message} ${BY_PROXY}` : message });
}
