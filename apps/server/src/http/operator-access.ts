import { createHash, timingSafeEqual } from 'node:crypto';
import type { Config } from '../config/config.ts';

/** Whether a request may read what only operators may see: metrics, and why the service isn't ready. */
export type OperatorAccess = (request: Request, peer: string | null) => boolean;

/**
 * Grants access to requests with the bearer token. If no token is configured, direct requests from this machine need
 * none, provided that `publicUrl` is on this machine too. If it isn't, there may be a proxy on this machine that adds
 * no headers and sends `Host: localhost`, so that requests from elsewhere would look like direct ones.
 *
 * @param madeToken the token that was created because none is configured; null if none could be created
 */
export function operatorAccess(
  { metricsToken, publicUrl }: Pick<Config, 'metricsToken' | 'publicUrl'>,
  madeToken: string | null,
): OperatorAccess {
  const token = metricsToken ?? madeToken;
  const isLocal = metricsToken === null && isLoopbackHost(new URL(publicUrl).hostname);
  return (request, peer) => {
    const given = request.headers.get('authorization');
    if (token !== null && given !== null && isSame(given, `Bearer ${token}`)) return true;
    return isLocal && isLoopback(peer) && !isForwarded(request.headers) && isForLoopback(request.headers.get('host'));
  };
}

/** Whether a `Host` header names this machine. A `Host` that a proxy passes on contains the public name. */
const isForLoopback = (host: string | null): boolean =>
  host !== null && URL.canParse(`http://${host}`) && isLoopbackHost(new URL(`http://${host}`).hostname);

/**
 * Whether a request has headers that proxies add (RFC 7239; RFC 9110 section 7.6.3; the older `X-Forwarded-For` and
 * similar ones).
 */
const isForwarded = (headers: Headers): boolean =>
  [...headers.keys()].some((name) => /^(?:x-forwarded(?:-.*)?|x-real-ip|forwarded|via)$/.test(name));

/**
 * Whether an address is a loopback address (RFC 1122 section 3.2.1.3 and RFC 4291 section 2.5.3). An IPv4 address may
 * be written as IPv6.
 */
const isLoopback = (address: string | null): boolean =>
  address === '::1' || /^(?:::ffff:)?127\.\d+\.\d+\.\d+$/i.test(address ?? '');

/** Whether a host name is a loopback name (RFC 6761 section 6.3) or address. */
const isLoopbackHost = (host: string): boolean =>
  isLoopback(host.replace(/^\[|\]$/g, '')) || host === 'localhost' || host.endsWith('.localhost');

const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
