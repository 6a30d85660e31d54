import ipaddr from 'ipaddr.js';
import { isWithin, type Network, parseIp } from './ip-networks.ts';

/**
 * The part of IPv6 that is allocated for the public internet (RFC 4291 section 2.4). Only this part is allowed, so that
 * addresses that are used without an allocation are refused, and also `::7f00:1`, which ipaddr.js considers unicast.
 */
const GLOBAL_UNICAST: Network = [ipaddr.IPv6.parse('2000::'), 3];

/** The address at which Azure's host machine provides a virtual machine with its keys and settings. */
const AZURE_PLATFORM = '168.63.129.16';

/**
 * Whether an address belongs to the public internet. False for this machine, private networks, special purposes (RFC
 * 6890), addresses that contain another address (NAT64, 6to4, Teredo), and any other text. An IPv4-mapped address is
 * read as IPv4.
 */
export function isPublic(address: string): boolean {
  const ip = parseIp(address);
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
