import { ownOriginOf } from './own-origin.ts';
import type { Service } from './service.ts';

const isSecure = (origin: string): boolean => origin.startsWith('https:');

type Addresses = Pick<Service, 'ownOrigin' | 'publicUrl'>;

/**
 * Returns the name of the session's cookie. Over https it has the prefix `__Host-`, which browsers accept only from the
 * host itself (RFC 6265bis section 4.1.3.2). Over http it contains the port, because all services of a host share their
 * cookies, and the path, because a proxy may distinguish services by path.
 */
function nameOf({ ownOrigin, publicUrl }: Addresses, origin: string): string {
  const path = ownOrigin === null ? '' : new URL(publicUrl).pathname.replace(/\/+$/, '').replace(/[^\w.~%]/g, '-');
  return isSecure(origin) ? `__Host-postshelf${path}` : `postshelf-${new URL(origin).port || '80'}${path}`;
}

/**
 * Returns the secret in the cookie; null if there is none. Over http, a service on another port can set a cookie of the
 * same name. Values that this service can't have set are skipped, so that such a cookie doesn't lock users out.
 */
export function readSessionCookie(service: Addresses & Pick<Service, 'ports'>, request: Request): string | null {
  const secrets = valuesOf(nameOf(service, ownOriginOf(service, request)), request);
  return secrets.find((secret) => service.ports.sessionSecrets.hashOf(secret) !== null) ?? null;
}

function valuesOf(name: string, request: Request): readonly string[] {
  const pairs = (request.headers.get('cookie') ?? '').split(';').map((pair) => pair.trim());
  return pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
}

/**
 * Returns the session's cookie. Scripts can't read it, and browsers don't send it from other sites.
 *
 * @param seconds how long the browser keeps it; 0 removes it
 */
export function sessionCookie(service: Addresses, request: Request, secret: string, seconds: number): string {
  const origin = ownOriginOf(service, request);
  const attributes = ['Path=/', `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Strict'];
  if (isSecure(origin)) attributes.push('Secure');
  return [`${nameOf(service, origin)}=${secret}`, ...attributes].join('; ');
}

/**
 * Returns the name of the cookie for a sign-in in progress at the OpenID provider. It begins with the name of the
 * session's cookie.
 */
const flowNameOf = (service: Addresses, request: Request): string =>
  `${nameOf(service, ownOriginOf(service, request))}.oidc`;

export const readFlowCookie = (service: Addresses, request: Request): string | null =>
  valuesOf(flowNameOf(service, request), request)[0] ?? null;

/**
 * Returns the cookie of a sign-in in progress. Unlike a `Strict` cookie, it is also sent when the provider redirects
 * the browser back. It is always `Secure`. The only origin without https on which this sign-in works is `localhost`,
 * where browsers accept `Secure` cookies.
 */
export const flowCookie = (service: Addresses, request: Request, flow: string, seconds: number): string =>
  `${flowNameOf(service, request)}=${flow}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax; Secure`;
