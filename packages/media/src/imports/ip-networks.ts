import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A network: an address in it, and the number of leading bits that all its addresses share. */
export type Network = readonly [address: Ip, bits: number];

export interface AllowedNetwork {
  readonly network: Network;
  /** The only allowed port; null for any port. */
  readonly port: number | null;
}

/** Number of bits before the IPv4 address in an IPv4-mapped one (RFC 4291 section 2.5.5.2). */
const MAPPED_BITS = 96;

const MAX_PORT = 65_535;

/**
 * Parses networks in CIDR notation (RFC 4632, RFC 4291 section 2.3), separated by commas or white space.
 *
 * @throws Error that names the first invalid network
 */
export function parseNetworks(text: string): readonly string[] {
  const cidrs = text.split(/[\s,]+/).filter((part) => part !== '');
  for (const cidr of cidrs) parseNetwork(cidr);
  return cidrs;
}

/**
 * Parses a network in CIDR notation.
 *
 * @throws Error that quotes the text if it isn't a network
 */
export function parseNetwork(cidr: string): Network {
  const [, text = '', bitsInText = ''] = /^(.+)\/(0|[1-9]\d{0,2})$/.exec(cidr) ?? [];
  const address = parseIp(text);
  const isMapped = address instanceof ipaddr.IPv4 && text.includes(':');
  const bits = Number(bitsInText) - (isMapped ? MAPPED_BITS : 0);
  if (address === null || bits < 0 || bits > (address instanceof ipaddr.IPv4 ? 32 : 128)) {
    throw new Error(`${JSON.stringify(cidr)} is not a network in CIDR notation, such as 10.0.0.0/8`);
  }
  return [address, bits];
}

/**
 * Parses a network in CIDR notation, with or without a port: `10.0.0.0/8`, `127.0.0.1/32:8080`, `[::1]/128:9000`. The
 * brackets of IPv6 may be left out.
 *
 * @throws Error that quotes the text if it isn't such a network
 */
export function parseNetworkWithPort(text: string): AllowedNetwork {
  const [, bracketed, plain, bits, port] =
    /^(?:\[([^[\]]*:[^[\]]*)\]|([^[\]/]+))\/(\d+)(?::([1-9]\d{0,4}))?$/.exec(text) ?? [];
  const number = port === undefined ? null : Number(port);
  if (bits === undefined || (number !== null && number > MAX_PORT)) {
    throw new Error(`${JSON.stringify(text)} is not a network such as 10.0.0.0/8 or 127.0.0.1/32:8080`);
  }
  return { network: parseNetwork(`${bracketed ?? plain}/${bits}`), port: number };
}

export const isWithin = (address: Ip, [base, bits]: Network): boolean =>
  address.kind() === base.kind() && address.match(base, bits);

export type Ip = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * Parses an address as the operating system writes it; an IPv4-mapped one (RFC 4291 section 2.5.5.2) becomes its IPv4
 * address. Returns null for any other text, for spellings that only some programs accept (`0x7f.1`, `0177.0.0.1`), and
 * for an address with a zone (RFC 4007).
 */
export function parseIp(text: string): Ip | null {
  const family = isIP(text);
  if (family === 0) return null;
  if (family === 4) return ipaddr.IPv4.parse(text);
  // The address is first rewritten in hexadecimal, because ipaddr.js confuses the IPv4-compatible `::127.0.0.1` with
  // `::ffff:127.0.0.1`.
  const url = URL.parse(`http://[${text}]/`);
  return url && ipaddr.process(url.hostname.slice(1, -1));
}
