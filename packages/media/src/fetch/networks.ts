import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A network: an address in it, and how many leading bits all its addresses share. */
export type Network = readonly [address: ipaddr.IPv4 | ipaddr.IPv6, bits: number];

/** Bits before the IPv4 address in an IPv4-mapped one (RFC 4291 section 2.5.5.2). */
const MAPPED_BITS = 96;

/**
 * Reads a list of networks in CIDR notation (RFC 4632, RFC 4291 section 2.3) with commas, white space or both between
 * them: `10.0.0.0/8, fd00::/8`. An empty text is an empty list.
 *
 * @throws Error naming the first that is none
 */
export function parseNetworks(text: string): readonly string[] {
  const cidrs = text.split(/[\s,]+/).filter((part) => part !== '');
  for (const cidr of cidrs) parseNetwork(cidr);
  return cidrs;
}

/**
 * Reads one network. Stricter than ipaddr.js, which takes `0x7f.1/8` too: what an operator exempts must be what the
 * operator reads.
 *
 * @throws Error naming it when it is none
 */
export function parseNetwork(cidr: string): Network {
  const [, address = '', bits = ''] = /^([\d.]+|[\da-f:.]+)\/(0|[1-9]\d{0,2})$/i.exec(cidr) ?? [];
  const family = isIP(address);
  if (family === 0 || Number(bits) > (family === 4 ? 32 : 128)) {
    throw new Error(`${JSON.stringify(cidr)} is not a network in CIDR notation, such as 10.0.0.0/8`);
  }
  return unmapped(ipaddr.parse(address), Number(bits));
}

function unmapped(address: ipaddr.IPv4 | ipaddr.IPv6, bits: number): Network {
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= MAPPED_BITS) {
    return [address.toIPv4Address(), bits - MAPPED_BITS];
  }
  return [address, bits];
}
