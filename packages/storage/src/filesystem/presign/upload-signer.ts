import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { isConvertedType, isMediaType, type PresignedUpload, type Uuid } from '@postshelf/domain';

/** The HKDF `info` (RFC 5869 section 3.2), which makes the signatures invalid for any other purpose. */
const KEY_LABEL = 'postshelf upload address';

/** The version of the signed text; change it when the meaning of the rest changes. */
const VERSION = 'v1';

/** The fields of the query: all are required, and no others are allowed. */
const FIELDS = ['expires', 'size', 'type', 'signature'] as const;

/** Matches decimal numbers without leading zeros that are small enough to be exact in JavaScript. */
const CANONICAL = /^(?:0|[1-9]\d{0,14})$/;

type Fields = Readonly<Record<Exclude<(typeof FIELDS)[number], 'signature'>, string>>;

export class UploadSigner {
  readonly #key: Buffer;

  /** @param secret at least 32 bytes, indistinguishable from random */
  constructor(secret: string) {
    this.#key = Buffer.from(hkdfSync('sha256', secret, '', KEY_LABEL, 32));
  }

  /**
   * Returns the query of the upload's address, with its signature.
   *
   * @throws RangeError if the size, or the expiry in seconds, isn't a whole number
   */
  sign({ id, size, type, expiresAt }: PresignedUpload): URLSearchParams {
    const fields = { expires: String(expiresAt / 1000), size: String(size), type };
    if (!CANONICAL.test(fields.expires) || !CANONICAL.test(fields.size)) {
      throw new RangeError('A presigned upload has a whole number of bytes and expires on a whole second.');
    }
    return new URLSearchParams({ ...fields, signature: this.#signatureOf(id, fields) });
  }

  /** Returns the upload of a correctly signed address, even an expired one, or null when any part was changed. */
  read(id: Uuid, query: Readonly<Record<string, string>>): PresignedUpload | null {
    const { expires = '', size = '', type = '', signature = '' } = query;
    if (Object.keys(query).length !== FIELDS.length) return null;
    if (!CANONICAL.test(expires) || !CANONICAL.test(size)) return null;
    if (!isMediaType(type) && !isConvertedType(type)) return null;
    if (!isSame(signature, this.#signatureOf(id, { expires, size, type }))) return null;
    return { id, size: Number(size), type, expiresAt: Number(expires) * 1000 };
  }

  /** Signs one line per value; no value can contain a line break. */
  #signatureOf(id: Uuid, { size, type, expires }: Fields): string {
    const signed = [VERSION, id, size, type, expires].join('\n');
    return createHmac('sha256', this.#key).update(signed).digest('base64url');
  }
}

/**
 * Compares in constant time. The texts are compared instead of the bytes that they encode, because Base64 has several
 * spellings of the same bytes.
 */
function isSame(claimed: string, right: string): boolean {
  if (claimed.length !== right.length) return false;
  const [left, other] = [Buffer.from(claimed), Buffer.from(right)];
  return left.length === other.length && timingSafeEqual(left, other);
}
