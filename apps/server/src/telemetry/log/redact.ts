interface Secret {
  /** A text that every match contains. Most lines contain no such text and need no further search. */
  readonly part: string;
  /** The pattern must not backtrack far, because lines contain untrusted text. */
  readonly pattern: RegExp;
  readonly instead: (match: string, ...groups: string[]) => string;
}

const SECRETS: readonly Secret[] = [
  {
    part: '://',
    pattern: /\b([a-z][a-z\d+.-]{0,15}:\/\/)([^\s"'<>\\]*)/gi,
    instead: (_, scheme = '', rest = '') => scheme + withoutSecrets(rest),
  },
  // Personal access tokens, and anything else that is a JWT (RFC 7519). The header of a JWT always begins with `{"`.
  { part: 'eyJ', pattern: /(?<![\w-])eyJ[\w-]+\.[\w-]+\.[\w-]*/g, instead: () => '[token]' },
  { part: 'whsec_', pattern: /\bwhsec_[\w+/=-]+/g, instead: () => '[secret]' },
  {
    part: ' ',
    pattern: /\b(bearer|basic) +[\w\-.~+/]+=*/gi,
    instead: (_, scheme) => `${scheme} [secret]`,
  },
  // Signatures in S3's and Google's URLs, even outside of a URL, and the codes and cookies with which browsers sign in.
  {
    part: '=',
    pattern:
      /((?:^|[?&,\s"'\\])(?:x-(?:amz|goog)-(?:signature|credential|security-token)|(?:aws)?accesskeyid|signature|sig|token|secret|code|(?:__Host-)?postshelf[\w.~%-]*)=)[^\s&,"'<>\\]+/gi,
    instead: (_, name) => `${name}[secret]`,
  },
];

/** Returns the text without tokens, credentials and signatures. */
export function redact(text: string): string {
  let clean = text;
  for (const secret of SECRETS) if (clean.includes(secret.part)) clean = clean.replace(secret.pattern, secret.instead);
  return clean;
}

/**
 * Returns a URL without its credentials (RFC 3986 section 3.2.1) and query. If what looks like the port isn't a number,
 * returns only a placeholder, because it may be the beginning of a password with an unescaped `/`, `?` or `#`.
 */
function withoutSecrets(address: string): string {
  const query = address.search(/[?#]/);
  const place = query < 0 ? address : address.slice(0, query);
  const path = place.indexOf('/');
  const authority = path < 0 ? place : place.slice(0, path);
  const host = authority.lastIndexOf('@');
  const port = authority.replace(/^[^:]*:?/, '');
  // Punctuation of the surrounding sentence may follow the port.
  if (host < 0 && !authority.startsWith('[') && !/^\d*\W*$/.test(port)) return '[secret]';
  return `${host < 0 ? '' : '[secret]'}${place.slice(Math.max(host, 0))}${query < 0 ? '' : '?[secret]'}`;
}
