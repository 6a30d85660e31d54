/** Text that may hold a secret, and what stands in its place. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  // Personal access tokens, and whatever else is a JWT (RFC 7519): its header always begins with `{"`.
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, '[token]'],
  [/\b(bearer|basic) +[\w\-.~+/]+=*/gi, '$1 [secret]'],
  // Credentials of an address (RFC 3986 section 3.2.1), also those with an `@` or a quote of their own in them.
  [/\b([a-z][a-z\d+.-]*:\/\/)[^\s/?#\\"]*@/gi, '$1[secret]@'],
  // Queries of addresses sign uploads and redirects, here and in every store.
  [/\b([a-z][a-z\d+.-]*:\/\/[^\s?#"'<>\\]*)[?#][^\s"'<>\\]*/gi, '$1?[secret]'],
  // What S3 and Google call a signature, outside of an address too, and what goes with it.
  [
    /((?:^|[?&,\s"'\\])(?:x-(?:amz|goog)-(?:signature|credential|security-token)|(?:aws)?accesskeyid|signature|sig|token|secret)=)[^\s&,"'<>\\]+/gi,
    '$1[secret]',
  ],
];

/** The text without tokens, credentials and signatures. */
export function redact(text: string): string {
  return SECRETS.reduce((clean, [pattern, instead]) => clean.replace(pattern, instead), text);
}
