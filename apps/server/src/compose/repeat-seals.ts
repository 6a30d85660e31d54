import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { type KeptAnswer, parseUuid, type RepeatSeals, type Uuid } from '@postshelf/domain';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** Version byte at the start of sealed data, so that the format can change later. */
const VERSION = 1;

/**
 * Encrypts answers with AES-256-GCM (NIST SP 800-38D) and a random nonce. The encryption key is derived by HKDF (RFC
 * 5869) from the secret, the token and the idempotency key, so each encryption key is used for only a few answers.
 */
export function createRepeatSeals(secret: string): RepeatSeals {
  const naming = derive(secret, '', 'postshelf repeats: ids');
  const keyOf = (callerId: Uuid, key: string): Buffer =>
    derive(secret, callerId, `postshelf repeats: answer to ${key}`);
  return {
    idOf: (callerId, key) => asUuid(createHmac('sha256', naming).update(`${callerId} ${key}`).digest()),

    seal(callerId, key, answer) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', keyOf(callerId, key), nonce);
      const sealed = [cipher.update(JSON.stringify(answer), 'utf8'), cipher.final()];
      return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), ...sealed]);
    },

    open(callerId, key, sealed) {
      const bytes = Buffer.from(sealed);
      if (bytes[0] !== VERSION) throw new Error(`A stored answer is sealed with the unknown version ${bytes[0]}.`);
      const [nonceEnd, tagEnd] = [1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES];
      const options = { authTagLength: TAG_BYTES };
      const decipher = createDecipheriv('aes-256-gcm', keyOf(callerId, key), bytes.subarray(1, nonceEnd), options);
      decipher.setAuthTag(bytes.subarray(nonceEnd, tagEnd));
      const opened = Buffer.concat([decipher.update(bytes.subarray(tagEnd)), decipher.final()]);
      return JSON.parse(opened.toString()) as KeptAnswer;
    },
  };
}

const derive = (secret: string, salt: string, info: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, KEY_BYTES));

/** Returns 122 bits of a digest as a UUIDv8 (RFC 9562 section 5.8). */
function asUuid(digest: Buffer): Uuid {
  const bytes = Buffer.from(digest.subarray(0, 16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const id = parseUuid(bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'));
  if (id === null) throw new Error('Unreachable: sixteen bytes always form a UUID.');
  return id;
}
