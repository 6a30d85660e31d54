import ipaddr from 'ipaddr.js';
import { isWithin, type Network, parseIp } from './ip-networks.ts';

/**
 * The part of IPv6 that is allocated for the public internet (RFC 4291 section 2.4). Only this part is allowed, so that
 * addresses that are used without an allocation are refused, and also `::7f00:1`, which ipaddr.js considers unicast.
 */
const GLOBAL_UNICAST: Network = [ipaddr.IPv6.parse('2000::'), 3];

/**
 * The prefix with which NAT64 embeds an IPv4 address in the last 32 bits (RFC 6052 section 2.1). Behind DNS64, a name
 * with nothing but IPv4 addresses also resolves to these. A network's own prefix and `64:ff9b:1::/48` (RFC 8215) are
 * for private addresses as well, so these are never read as IPv4.
 */
const NAT64: Network = [ipaddr.IPv6.parse('64:ff9b::'), 96];

/** The address at which Azure's host machine provides a virtual machine with its keys and settings. */
const AZURE_PLATFORM = '168.63.129.16';

/**
 * Whether an address belongs to the public internet. False for this machine, private networks, special purposes (RFC
 * 6890), addresses that contain another address (6to4, Teredo), and any other text. An IPv4-mapped address is read as
 * IPv4, and one that NAT64 translates at the well-known prefix as the IPv4 address that it leads to.
 */
export function isPublic(address: string): boolean {
  const written = parseIp(address);
  const ip = written && isWithin(written, NAT64) ? new ipaddr.IPv4(written.toByteArray().slice(-4)) : written;
  if (ip?.range() !== 'unicast') return false;
  return ip instanceof ipaddr.IPv4 ? ip.toString() !== AZURE_PLATFORM : isWithin(ip, GLOBAL_UNICAST);
}

/** Names that never belong to the public internet (IANA's special-use domain names, and `internal`). */
const PRIVATE_NAMES = ['localhost', 'local', 'internal', 'test', 'example', 'invalid', 'onion', 'home.arpa', 'lan'];

/** Whether a URL's host can be on the public internet, judging by its name or the address in it. */
export function canBePublic(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/^\[|\]$|\.$/g, '');
  if (parseIp(host) !== null) return isPublic(host);
  return host.includes('.') && !PRIVATE_NAMES.some((name) => host === name || host.endsWith(`.${name}`));
}

/** Whether an address is in one of the networks. An IPv4-mapped address counts as its IPv4 address. */
export function isInAny(networks: readonly Network[], address: string): boolean {
  const ip = parseIp(address);
  return ip !== null && networks.some((network) => isWithin(ip, network));
}
