import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { isMediaType, type PresignedUpload, type Uuid } from '@postshelf/domain';

/**
 * Keeps this key apart from all others that are derived from the same secret (RFC 5869 section 3.2), so that signatures
 * aren't valid for another purpose.
 */
const KEY_LABEL = 'postshelf upload address';

/** Version of the signed text, its first line: to be changed when the meaning of the rest changes. */
const VERSION = 'v1';

/** The names in an address's query: each once, and no other. */
const FIELDS = ['expires', 'size', 'type', 'signature'] as const;

/** A whole number in its canonical decimal spelling, small enough to be exact in JavaScript. */
const CANONICAL = /^(?:0|[1-9]\d{0,14})$/;

/** The parameters of an address's query. */
type Fields = Readonly<Record<Exclude<(typeof FIELDS)[number], 'signature'>, string>>;

/** Signs presigned uploads, and reads back those that it signed. */
export class UploadSigner {
  readonly #key: Buffer;

  /** @param secret the service's own; as good as random, 32 bytes or more */
  constructor(secret: string) {
    this.#key = Buffer.from(hkdfSync('sha256', secret, '', KEY_LABEL, 32));
  }

  /**
   * The query of its address.
   * @throws RangeError for a presigned upload whose size or expiry (in seconds) is no whole number
   */
  sign({ id, size, type, expiresAt }: PresignedUpload): URLSearchParams {
    const fields = { expires: String(expiresAt / 1000), size: String(size), type };
    if (!CANONICAL.test(fields.expires) || !CANONICAL.test(fields.size)) {
      throw new RangeError('A presigned upload has a whole number of bytes and expires on a whole second.');
    }
    return new URLSearchParams({ ...fields, signature: this.#signatureOf(id, fields) });
  }

  /** The presigned upload of an address that was signed here, expired or not; null when anything in it was changed. */
  read(id: Uuid, query: Readonly<Record<string, string>>): PresignedUpload | null {
    const { expires = '', size = '', type = '', signature = '' } = query;
    if (Object.keys(query).length !== FIELDS.length) return null;
    if (!CANONICAL.test(expires) || !CANONICAL.test(size) || !isMediaType(type)) return null;
    if (!isSame(signature, this.#signatureOf(id, { expires, size, type }))) return null;
    return { id, size: Number(size), type, expiresAt: Number(expires) * 1000 };
  }

  /** A line for each value; none of them can hold a line end. */
  #signatureOf(id: Uuid, { size, type, expires }: Fields): string {
    const signed = [VERSION, id, size, type, expires].join('\n');
    return createHmac('sha256', this.#key).update(signed).digest('base64url');
  }
}

/** Compares in constant time. As text, not as decoded bytes, as Base64 has several spellings of the same bytes. */
function isSame(claimed: string, right: string): boolean {
  if (claimed.length !== right.length) return false;
  const [left, other] = [Buffer.from(claimed), Buffer.from(right)];
  return left.length === other.length && timingSafeEqual(left, other);
}
