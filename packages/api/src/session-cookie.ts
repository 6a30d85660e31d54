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
  const secrets = valuesOf(nameOf(service, ownOriginOf(service, request)), request);
  return secrets.find((secret) => service.ports.sessionSecrets.hashOf(secret) !== null) ?? null;
}

function valuesOf(name: string, request: Request): readonly string[] {
  const pairs = (request.headers.get('cookie') ?? '').split(';').map((pair) => pair.trim());
  return pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
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

/** Beside the session's, while somebody is at the OpenID provider. Has its prefix, and so its path. */
const flowNameOf = (service: Addresses, request: Request): string =>
  `${nameOf(service, ownOriginOf(service, request))}.oidc`;

export const readFlowCookie = (service: Addresses, request: Request): string | null =>
  valuesOf(flowNameOf(service, request), request)[0] ?? null;

/** Sent on the way back, as a `Strict` one isn't. Also `localhost`, the only one without https here, may have `Secure` ones. */
export const flowCookie = (service: Addresses, request: Request, flow: string, seconds: number): string =>
  `${flowNameOf(service, request)}=${flow}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax; Secure`;
