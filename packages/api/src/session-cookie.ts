import type { Service } from './service.ts';

/** The origin of this service's own pages: the configured one, else the one that the request was addressed to. */
export const ownOriginOf = ({ ownOrigin }: Pick<Service, 'ownOrigin'>, { url }: Request): string =>
  ownOrigin ?? new URL(url).origin;

const isSecure = (origin: string): boolean => origin.startsWith('https:');

/** The service's public addresses. */
type Addresses = Pick<Service, 'ownOrigin' | 'publicUrl'>;

/**
 * Over https the name has the `__Host-` prefix, which browsers accept only from the host itself over a secure connection
 * (RFC 6265bis section 4.1.3.2). Over http it holds the port, as all services of a host share their cookies. It also holds
 * the path, so that services which a proxy tells apart by their paths don't overwrite each other's cookie.
 */
function nameOf({ ownOrigin, publicUrl }: Addresses, origin: string): string {
  const path = ownOrigin === null ? '' : new URL(publicUrl).pathname.replace(/\/+$/, '').replace(/[^\w.~%]/g, '-');
  return isSecure(origin) ? `__Host-postshelf${path}` : `postshelf-${new URL(origin).port || '80'}${path}`;
}

/**
 * The secret in a request's cookie; null if there is none. Over http a service on another port of the host can set a
 * cookie of this name, which comes first if its path is longer. Values that can't be secrets of ours are skipped, so
 * that such a cookie locks nobody out.
 */
export function readSessionCookie(service: Addresses & Pick<Service, 'ports'>, request: Request): string | null {
  const header = request.headers.get('cookie');
  if (header === null) return null;
  const start = `${nameOf(service, ownOriginOf(service, request))}=`;
  const pairs = header.split(';').map((pair) => pair.trim());
  const secrets = pairs.filter((pair) => pair.startsWith(start)).map((pair) => pair.slice(start.length));
  return secrets.find((secret) => service.ports.sessionSecrets.hashOf(secret) !== null) ?? null;
}

/**
 * A `Set-Cookie` header: no script can read the cookie, and browsers don't send it with requests from other sites.
 *
 * @param seconds how long the browser keeps it; 0 removes it
 */
export function sessionCookie(service: Addresses, request: Request, secret: string, seconds: number): string {
  const origin = ownOriginOf(service, request);
  const attributes = ['Path=/', `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Strict'];
  if (isSecure(origin)) attributes.push('Secure');
  return [`${nameOf(service, origin)}=${secret}`, ...attributes].join('; ');
}
