import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type Ip = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * Reads an address as the operating system writes it; an IPv4-mapped one (RFC 4291 section 2.5.5.2) is the IPv4 address
 * that it leads to. null for any other text, for the spellings that only some programs take (`0x7f.1`, `0177.0.0.1`),
 * and for an address with a zone (RFC 4007), which is of this machine's own links.
 */
export function parseIp(text: string): Ip | null {
  const family = isIP(text);
  if (family === 0) return null;
  if (family === 4) return ipaddr.IPv4.parse(text);
  // Rewritten in hexadecimal first: ipaddr.js takes the IPv4-compatible `::127.0.0.1` for `::ffff:127.0.0.1`.
  const url = URL.parse(`http://[${text}]/`);
  return url && ipaddr.process(url.hostname.slice(1, -1));
}
