/**
 * Text that may hold a secret, what stands in its place, and a part that it always has: most lines have none of these.
 * Each pattern reads on from where it began and never far back: lines hold what attackers write.
 */
const SECRETS: readonly (readonly [RegExp, string, string])[] = [
  // Personal access tokens, and whatever else is a JWT (RFC 7519): its header always begins with `{"`.
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, '[token]', 'eyJ'],
  [/\b(bearer|basic) +[\w\-.~+/]+=*/gi, '$1 [secret]', ' '],
  // What S3 and Google call a signature, outside of an address too, and what goes with it.
  [
    /((?:^|[?&,\s"'\\])(?:x-(?:amz|goog)-(?:signature|credential|security-token)|(?:aws)?accesskeyid|signature|sig|token|secret)=)[^\s&,"'<>\\]+/gi,
    '$1[secret]',
    '=',
  ],
];

/** An address, as far as it goes (RFC 3986 section 3). */
const ADDRESS = /\b([a-z][a-z\d+.-]{0,15}:\/\/)([^\s"'<>\\]*)/gi;

/** The text without tokens, credentials and signatures. */
export function redact(text: string): string {
  let clean = text;
  if (clean.includes('://')) {
    clean = clean.replace(ADDRESS, (_, scheme: string, rest: string) => scheme + withoutSecrets(rest));
  }
  for (const [pattern, instead, part] of SECRETS) if (clean.includes(part)) clean = clean.replace(pattern, instead);
  return clean;
}

/** An address behind its scheme, without credentials (RFC 3986 section 3.2.1) and query, in which stores sign. */
function withoutSecrets(address: string): string {
  const query = address.search(/[?#]/);
  const place = query < 0 ? address : address.slice(0, query);
  const path = place.indexOf('/');
  const authority = path < 0 ? place : place.slice(0, path);
  const host = authority.lastIndexOf('@');
  return `${host < 0 ? '' : '[secret]'}${place.slice(Math.max(host, 0))}${query < 0 ? '' : '?[secret]'}`;
}
