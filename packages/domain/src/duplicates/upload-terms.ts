const DAY = 24 * 60 * 60 * 1000;

/** The ways to treat a duplicate: store it again, or return the item that the workspace already has. */
export const ON_DUPLICATE = ['keep', 'return'] as const;

export type OnDuplicate = (typeof ON_DUPLICATE)[number];

export interface UploadTerms {
  readonly sha256: string | null;
  readonly onDuplicate: OnDuplicate;
}

export const NO_TERMS: UploadTerms = { sha256: null, onDuplicate: 'keep' };

const SHA256 = /^[0-9a-f]{64}$/i;

/** Returns the hash in lower case; null if the text isn't a SHA-256 in hex. */
export const readSha256 = (text: string): string | null => (SHA256.test(text) ? text.toLowerCase() : null);

export const isAsDeclared = ({ sha256 }: Pick<UploadTerms, 'sha256'>, actual: string | null): boolean =>
  sha256 === null || sha256 === actual;

export const WRONG_HASH = 'does not match its sha256.';

/** Lifetime of an alias in milliseconds: as long as clients may poll for its id. */
export const ALIAS_LIFETIME = DAY;
