import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface KeyAndCertificate {
  readonly key: string;
  readonly cert: string;
  /** The path of the certificate, for `NODE_EXTRA_CA_CERTS`. */
  readonly certPath: string;
  readonly keyPath: string;
}

/** A fresh key and a certificate signed by itself for one subject alternative name, such as `DNS:localhost`. */
export function selfSigned(folder: string, name: string, subject: string): KeyAndCertificate {
  const keyPath = join(folder, `${name}.key`);
  const certPath = join(folder, `${name}.crt`);
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const fields = ['-days', '2', '-subj', `/CN=${name}`, '-addext', `subjectAltName=${subject}`];
  const run = Bun.spawnSync(['openssl', 'req', '-x509', ...curve, ...fields, '-keyout', keyPath, '-out', certPath]);
  if (run.exitCode !== 0) throw new Error(`openssl made no certificate: ${run.stderr.toString()}`);
  return { key: readFileSync(keyPath, 'utf8'), cert: readFileSync(certPath, 'utf8'), certPath, keyPath };
}
