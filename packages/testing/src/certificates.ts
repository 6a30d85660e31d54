import { generate } from 'selfsigned';

/** The certificate of a TLS server, PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateAuthority extends Certificate {
  /** Issues a certificate for the names and IPv4 addresses. */
  issue(names: readonly string[], validity?: Validity): Promise<Certificate>;
}

/** Days from now; negative numbers are in the past. */
export interface Validity {
  readonly from: number;
  readonly to: number;
}

const NOW: Validity = { from: -1, to: 1 };
const DAY = 24 * 60 * 60 * 1000;

/** Creates a certificate authority that no client trusts by default. */
export async function createAuthority(): Promise<CertificateAuthority> {
  const authority = await issued('Test Authority', NOW, [{ name: 'basicConstraints', cA: true, critical: true }]);
  return {
    ...authority,
    issue: (names, validity = NOW) => issued('Test', validity, [alternativeNames(names)], authority),
  };
}

/** Creates a self-signed certificate. */
export const createSelfSigned = (names: readonly string[]): Promise<Certificate> =>
  issued('Self', NOW, [alternativeNames(names)]);

type Options = NonNullable<Parameters<typeof generate>[1]>;
type Extension = NonNullable<Options['extensions']>[number];

/**
 * Issues a certificate.
 *
 * @param ca the authority that signs it; by default it is self-signed
 */
async function issued(
  name: string,
  { from, to }: Validity,
  extensions: Extension[],
  ca?: Certificate,
): Promise<Certificate> {
  const made = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.now() + from * DAY),
    notAfterDate: new Date(Date.now() + to * DAY),
    extensions,
    ...(ca && { ca }),
  });
  return { cert: made.cert, key: made.private };
}

const alternativeNames = (names: readonly string[]): Extension => ({
  name: 'subjectAltName',
  altNames: names.map((name) => (/^[\d.]+$/.test(name) ? { type: 7, ip: name } : { type: 2, value: name })),
});
