import type { Service } from './service.ts';

/** The origin that pages of this service have. Where nobody says what the service is called, it is what the browser calls it. */
export const ownOriginOf = ({ ownOrigin }: Pick<Service, 'ownOrigin'>, { url }: Request): string =>
  ownOrigin ?? new URL(url).origin;

const isSecure = (origin: string): boolean => origin.startsWith('https:');

/** As much of the service as says what it is called. */
type Called = Pick<Service, 'ownOrigin' | 'publicUrl'>;

/**
 * By https the name has the prefix that browsers take from the host itself alone, and over a safe connection alone (RFC 6265bis
 * section 4.1.3.2). Over http it carries the port, as cookies are shared by all services of a host. So they are by those that
 * a proxy tells apart by their paths, one of which would take the other's place: so it carries the path, too.
 */
function nameOf({ ownOrigin, publicUrl }: Called, origin: string): string {
  const path = ownOrigin === null ? '' : new URL(publicUrl).pathname.replace(/\/+$/, '').replace(/[^\w.~%]/g, '-');
  return isSecure(origin) ? `__Host-postshelf${path}` : `postshelf-${new URL(origin).port || '80'}${path}`;
}

/**
 * The secret in a request's cookie; null where there is none. Over http a service on another port of the host can set a cookie of
 * this name, which for a longer path comes first: what was never made here is passed over, and locks nobody out.
 */
export function readSessionCookie(service: Called & Pick<Service, 'ports'>, request: Request): string | null {
  const header = request.headers.get('cookie');
  if (header === null) return null;
  const start = `${nameOf(service, ownOriginOf(service, request))}=`;
  const pairs = header.split(';').map((pair) => pair.trim());
  const secrets = pairs.filter((pair) => pair.startsWith(start)).map((pair) => pair.slice(start.length));
  return secrets.find((secret) => service.ports.sessionSecrets.hashOf(secret) !== null) ?? null;
}

/**
 * A `Set-Cookie` that no script reads, and that no page of another site has sent.
 *
 * @param seconds that the browser keeps it; 0 takes it away
 */
export function sessionCookie(service: Called, request: Request, secret: string, seconds: number): string {
  const origin = ownOriginOf(service, request);
  const attributes = ['Path=/', `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Strict'];
  if (isSecure(origin)) attributes.push('Secure');
  return [`${nameOf(service, origin)}=${secret}`, ...attributes].join('; ');
}
