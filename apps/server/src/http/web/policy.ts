/**
 * What the page may do: run its own scripts, call this service, show files of this service and of its storage, and nothing
 * else. Styles that scripts insert as elements, as react-aria does, carry the nonce of the answer.
 *
 * @param origins where files are beside this service, and are sent to
 */
export function contentSecurityPolicy(nonce: string, origins: readonly string[]): string {
  const here = ["'self'", ...origins].join(' ');
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    `img-src ${here} data: blob:`,
    `media-src ${here} blob:`,
    `connect-src ${here}`,
    "font-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}

/** Of every file of the page, and of the page itself. */
export const SAFE = {
  'X-Content-Type-Options': 'nosniff',
  // Not `no-referrer`: with that, browsers send `Origin: null` where a page posts to its own service (Fetch, section 3.2).
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};
