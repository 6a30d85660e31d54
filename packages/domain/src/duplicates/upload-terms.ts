const DAY = 24 * 60 * 60 * 1000;

/** What happens to a file that the workspace has already: it is stored again, or the existing item is returned. */
export const ON_DUPLICATE = ['keep', 'return'] as const;

export type OnDuplicate = (typeof ON_DUPLICATE)[number];

/** What a client declares about a file before its bytes are known (docs/api.md, "Duplicates"). */
export interface UploadTerms {
  /** SHA-256 of the bytes that the client sends, lower-case hex; null if not declared. */
  readonly sha256: string | null;
  readonly onDuplicate: OnDuplicate;
}

/** The terms of a file if the client gave none. */
export const NO_TERMS: UploadTerms = { sha256: null, onDuplicate: 'keep' };

const SHA256 = /^[0-9a-f]{64}$/i;

/** Parses a SHA-256 in hex and returns it in lower case; null for any other text. */
export const readSha256 = (text: string): string | null => (SHA256.test(text) ? text.toLowerCase() : null);

/** Whether the actual hash is the declared one; true if none was declared. */
export const isAsDeclared = ({ sha256 }: Pick<UploadTerms, 'sha256'>, actual: string | null): boolean =>
  sha256 === null || sha256 === actual;

/** Ends the sentence for bytes that differ from their declared hash: "The files.0 does not match its sha256." */
export const WRONG_HASH = 'does not match its sha256.';

/**
 * Milliseconds for which an id that was issued before its file turned out to be a duplicate refers to the existing
 * item: as long as clients may poll for it.
 */
export const ALIAS_LIFETIME = DAY;
