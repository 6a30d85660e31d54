import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Certificate, createSelfSigned } from '@postshelf/testing/certificates';

interface KeptCertificate extends Certificate {
  /** The path of the certificate, for `NODE_EXTRA_CA_CERTS`. */
  readonly certPath: string;
  readonly keyPath: string;
}

/** A self-signed certificate for these names and IPv4 addresses, in files of the folder. */
export async function selfSigned(folder: string, name: string, subjects: readonly string[]): Promise<KeptCertificate> {
  const certificate = await createSelfSigned(subjects);
  const [certPath, keyPath] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  writeFileSync(certPath, certificate.cert);
  writeFileSync(keyPath, certificate.key);
  return { ...certificate, certPath, keyPath };
}
