import type { Service } from './service.ts';

/** The configured origin, else the one that the request was addressed to. */
export const ownOriginOf = ({ ownOrigin }: Pick<Service, 'ownOrigin'>, { url }: Request): string =>
  ownOrigin ?? new URL(url).origin;

const isSecure = (origin: string): boolean => origin.startsWith('https:');

type Addresses = Pick<Service, 'ownOrigin' | 'publicUrl'>;

/**
 * Over https `__Host-`, which browsers accept only from the host itself (RFC 6265bis section 4.1.3.2). Over http the
 * name holds the port, as all services of a host share their cookies, and the path, by which a proxy may tell services
 * apart.
 */
function nameOf({ ownOrigin, publicUrl }: Addresses, origin: string): string {
  const path = ownOrigin === null ? '' : new URL(publicUrl).pathname.replace(/\/+$/, '').replace(/[^\w.~%]/g, '-');
  return isSecure(origin) ? `__Host-postshelf${path}` : `postshelf-${new URL(origin).port || '80'}${path}`;
}

/**
 * null if there is none. Over http a service on another port can set a cookie of this name. Values that can't be ours
 * are skipped, so that it locks nobody out.
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
 * No script can read the cookie, and browsers don't send it from other sites.
 *
 * @param seconds how long the browser keeps it; 0 removes it
 */
export function sessionCookie(service: Addresses, request: Request, secret: string, seconds: number): string {
  const origin = ownOriginOf(service, request);
  const attributes = ['Path=/', `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Strict'];
  if (isSecure(origin)) attributes.push('Secure');
  return [`${nameOf(service, origin)}=${secret}`, ...attributes].join('; ');
}
