import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** The certificate of a TLS server, PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateAuthority extends Certificate {
  /** Issues a certificate for the names and IPv4 addresses. */
  issue(names: readonly string[], validity?: Validity): Certificate;
}

/** Days from now; negative ones are in the past. */
export interface Validity {
  readonly from: number;
  readonly to: number;
}

const NOW: Validity = { from: -1, to: 1 };
const DAY = 24 * 60 * 60 * 1000;

/** Creates a certificate authority that nobody trusts. */
export function createAuthority(): CertificateAuthority {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = 'Test Authority';
  return {
    ...issued({ issuer: name, subject: name, signer: keys.privateKey, keys, extension: AUTHORITY, validity: NOW }),
    issue(names, validity = NOW) {
      const ownKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const extension = alternativeNames(names);
      return issued({ issuer: name, subject: 'Test', signer: keys.privateKey, keys: ownKeys, extension, validity });
    },
  };
}

/** A self-signed certificate. */
export function createSelfSigned(names: readonly string[]): Certificate {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const extension = alternativeNames(names);
  return issued({ issuer: 'Self', subject: 'Self', signer: keys.privateKey, keys, extension, validity: NOW });
}

interface Contents {
  readonly issuer: string;
  readonly subject: string;
  readonly signer: KeyObject;
  readonly keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
  readonly extension: Buffer;
  readonly validity: Validity;
}

/** RFC 5280 section 4.1. */
function issued({ issuer, subject, signer, keys, extension, validity }: Contents): Certificate {
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    commonName(issuer),
    sequence(time(validity.from), time(validity.to)),
    commonName(subject),
    keys.publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extension)),
  );
  const signature = sign('sha256', toBeSigned, signer);
  const bytes = sequence(toBeSigned, ECDSA_WITH_SHA256, der(0x03, Buffer.from([0]), signature));
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${bytes.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
    key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** ITU-T X.690 section 8.1: tag, length, contents. */
function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const body = Buffer.concat(contents);
  const { length } = body;
  const lengthBytes = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...lengthBytes]), body]);
}

const sequence = (...contents: readonly Buffer[]): Buffer => der(0x30, ...contents);
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));

const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'));
/** Basic constraints, critical: an authority. */
const AUTHORITY = sequence(
  oid('551d13'),
  der(0x01, Buffer.from([0xff])),
  der(0x04, sequence(der(0x01, Buffer.from([0xff])))),
);

const commonName = (name: string): Buffer => sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(name)))));

const time = (days: number): Buffer => {
  const text = new Date(Date.now() + days * DAY).toISOString().replace(/\D/g, '');
  return der(0x17, Buffer.from(`${text.slice(2, 14)}Z`));
};

function alternativeNames(names: readonly string[]): Buffer {
  const encoded = names.map((name) =>
    /^[\d.]+$/.test(name) ? der(0x87, Buffer.from(name.split('.').map(Number))) : der(0x82, Buffer.from(name)),
  );
  return sequence(oid('551d11'), der(0x04, sequence(...encoded)));
}
