/** Matches the codes of OpenSSL and of Node (node:tls, "X509 errors") for a certificate that isn't accepted. */
const REFUSED = /^CERT_|SELF_SIGNED|^UNABLE_TO_|^ERR_TLS_CERT|^HOSTNAME_MISMATCH/;

/** Matches those of a certificate whose authority isn't known. */
const UNKNOWN_AUTHORITY = /SELF_SIGNED|^UNABLE_TO_/;

/**
 * Returns a sentence without a full stop that says why a server's certificate isn't accepted, with a remedy; null for any
 * other error.
 *
 * @param error what connecting to the server failed with
 */
export function certificateProblem(error: unknown): string | null {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return null;
  if (!REFUSED.test(error.code)) return null;
  const remedy = UNKNOWN_AUTHORITY.test(error.code)
    ? '; if an authority of your own has issued it, set NODE_EXTRA_CA_CERTS'
    : '';
  return `the server's certificate is not accepted (${error.message.split('\n', 1)[0]})${remedy}`;
}
