import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { isMediaType, type PresignedUpload, type Uuid } from '@postshelf/domain';

/**
 * Tells this key from every other that is derived from the same secret (RFC 5869 section 3.2): what is signed here is
 * worth nothing elsewhere, and nothing that is signed elsewhere is worth anything here.
 */
const KEY_LABEL = 'postshelf upload address';

/** Version of the signed text, its first line: to be changed when the meaning of the rest changes. */
const VERSION = 'v1';

/** The names of an address's query, all of them: each once, and no other. */
const FIELDS = ['expires', 'size', 'type', 'signature'] as const;

/** A whole number in its one decimal spelling, which JavaScript counts exactly. */
const CANONICAL = /^(?:0|[1-9]\d{0,14})$/;

/** What an address says of its presigned upload, as it stands in the query. */
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

  /** The presigned upload of an address that was signed here, expired or not; null when anything of it was changed. */
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

/**
 * In a time that tells nothing of where they differ. As text, not as the bytes that it stands for: those have several
 * spellings in Base64.
 */
function isSame(claimed: string, right: string): boolean {
  if (claimed.length !== right.length) return false;
  const [left, other] = [Buffer.from(claimed), Buffer.from(right)];
  return left.length === other.length && timingSafeEqual(left, other);
}
