const DAY = 24 * 60 * 60 * 1000;

/** A file that the workspace has is stored again, or its item returned. */
export const ON_DUPLICATE = ['keep', 'return'] as const;

export type OnDuplicate = (typeof ON_DUPLICATE)[number];

/** What a client declares before the bytes are known. */
export interface UploadTerms {
  /** Lower-case hex; null if not declared. */
  readonly sha256: string | null;
  readonly onDuplicate: OnDuplicate;
}

export const NO_TERMS: UploadTerms = { sha256: null, onDuplicate: 'keep' };

const SHA256 = /^[0-9a-f]{64}$/i;

/** Lower case; null for any other text. */
export const readSha256 = (text: string): string | null => (SHA256.test(text) ? text.toLowerCase() : null);

/** True if none was declared. */
export const isAsDeclared = ({ sha256 }: Pick<UploadTerms, 'sha256'>, actual: string | null): boolean =>
  sha256 === null || sha256 === actual;

/** "The files.0 does not match its sha256." */
export const WRONG_HASH = 'does not match its sha256.';

/** As long as clients may poll for an id that turned out to be a duplicate's. */
export const ALIAS_LIFETIME = DAY;
