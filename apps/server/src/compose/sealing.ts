import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Version byte at the start of sealed data, so that the format can change later. */
const VERSION = 1;

/**
 * Derives a key of 256 bits from the secret that signs tokens, by HKDF with SHA-256 (RFC 5869).
 *
 * @param info what the key is for, so that each purpose has its own key
 * @param salt distinguishes the keys of one purpose
 */
export const deriveKey = (secret: string, info: string, salt = ''): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, KEY_BYTES));

/** Encrypts with AES-256-GCM (NIST SP 800-38D). Returns a version byte, a random nonce, the tag and the ciphertext. */
export function seal(key: Buffer, plain: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const encrypted = [cipher.update(plain), cipher.final()];
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), ...encrypted]);
}

/**
 * Decrypts what {@link seal} returned. Returns null if it was sealed with another key, or was changed.
 *
 * @throws Error if the version is unknown, or there are too few bytes
 */
export function unseal(key: Buffer, sealed: Uint8Array): Buffer | null {
  const bytes = Buffer.from(sealed);
  if (bytes[0] !== VERSION) throw new Error(`Sealed data has the unknown version ${bytes[0]}.`);
  const [nonceEnd, tagEnd] = [1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES];
  const options = { authTagLength: TAG_BYTES };
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(1, nonceEnd), options);
  decipher.setAuthTag(bytes.subarray(nonceEnd, tagEnd));
  const opened = decipher.update(bytes.subarray(tagEnd));
  try {
    decipher.final();
  } catch {
    return null;
  }
  return opened;
}
