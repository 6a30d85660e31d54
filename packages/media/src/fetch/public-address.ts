import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Network } from './networks.ts';

/**
 * What IANA has given out of IPv6 for use in the public internet (RFC 4291 section 2.4). Naming it, rather than what
 * lies outside, also refuses whatever is handed out elsewhere: IPv4-compatible `::7f00:1`, which ipaddr.js takes for
 * unicast, and the ranges that private overlays have helped themselves to.
 */
const GLOBAL_UNICAST: Network = [ipaddr.IPv6.parse('2000::'), 3];

/** Public by its number, but answered by the host of every virtual machine in Azure: its keys and its settings. */
const AZURE_PLATFORM = '168.63.129.16';

/**
 * Whether an address, as the operating system writes it, belongs to the public internet: neither to this machine, nor
 * to a network of its own, nor to a special purpose (RFC 6890), nor to a way of writing another address (IPv4-mapped
 * is read as the IPv4 address; NAT64, 6to4 and Teredo are refused whatever they lead to).
 */
export function isPublic(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 ? parsed.toString() !== AZURE_PLATFORM : isWithin(parsed, GLOBAL_UNICAST);
}

/** Whether an address lies in one of the networks; an IPv4-mapped one in that of its IPv4 address. */
export function isInAny(networks: readonly Network[], address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.process(address);
  return networks.some((network) => isWithin(parsed, network));
}

const isWithin = (address: ipaddr.IPv4 | ipaddr.IPv6, [base, bits]: Network): boolean =>
  address.kind() === base.kind() && address.match(base, bits);
