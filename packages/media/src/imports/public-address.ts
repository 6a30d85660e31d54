import ipaddr from 'ipaddr.js';
import { isWithin, type Network, parseIp } from './ip-networks.ts';

/**
 * What IANA has given out of IPv6 for use in the public internet (RFC 4291 section 2.4). Naming it, rather than what
 * lies outside, also refuses whatever is used elsewhere: IPv4-compatible `::7f00:1`, which ipaddr.js takes for unicast,
 * and the ranges that private overlays have helped themselves to.
 */
const GLOBAL_UNICAST: Network = [ipaddr.IPv6.parse('2000::'), 3];

/** Public by its number, but answered by the host of every virtual machine in Azure: its keys and its settings. */
const AZURE_PLATFORM = '168.63.129.16';

/**
 * Whether an address, as the operating system writes it, belongs to the public internet: neither to this machine, nor
 * to a network of its own, nor to a special purpose (RFC 6890), nor to a way of writing another address (IPv4-mapped
 * is read as the IPv4 address; NAT64, 6to4 and Teredo are refused whatever they lead to). False for any other text.
 */
export function isPublic(address: string): boolean {
  const ip = parseIp(address);
  if (ip?.range() !== 'unicast') return false;
  return ip instanceof ipaddr.IPv4 ? ip.toString() !== AZURE_PLATFORM : isWithin(ip, GLOBAL_UNICAST);
}

/** Whether an address lies in one of the networks; an IPv4-mapped one in that of its IPv4 address. */
export function isInAny(networks: readonly Network[], address: string): boolean {
  const ip = parseIp(address);
  return ip !== null && networks.some((network) => isWithin(ip, network));
}
