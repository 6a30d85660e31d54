import { createHmac } from 'node:crypto';
import { type IdempotencySeals, type KeptAnswer, parseUuid, type Uuid } from '@postshelf/domain';
import { deriveKey, seal, unseal } from './sealing.ts';

/**
 * Seals answers. The key is derived from the secret, the token and the idempotency key, so each key is used for only a
 * few answers.
 */
export function createIdempotencySeals(secret: string): IdempotencySeals {
  const naming = deriveKey(secret, 'postshelf repeats: ids');
  const keyOf = (callerId: Uuid, key: string): Buffer =>
    deriveKey(secret, `postshelf repeats: answer to ${key}`, callerId);
  return {
    idOf: (callerId, key) => asUuid(createHmac('sha256', naming).update(`${callerId} ${key}`).digest()),

    seal: (callerId, key, answer) => seal(keyOf(callerId, key), Buffer.from(JSON.stringify(answer))),

    open(callerId, key, sealed) {
      const opened = unseal(keyOf(callerId, key), sealed);
      if (opened === null) throw new Error('A stored answer was sealed with another key, or was changed.');
      return JSON.parse(opened.toString()) as KeptAnswer;
    },
  };
}

/** Returns 122 bits of a digest as a UUIDv8 (RFC 9562 section 5.8). */
function asUuid(digest: Buffer): Uuid {
  const bytes = Buffer.from(digest.subarray(0, 16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const id = parseUuid(bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'));
  if (id === null) throw new Error('Unreachable: sixteen bytes always form a UUID.');
  return id;
}
