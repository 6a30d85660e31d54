/** Thrown if a file isn't what its first bytes claim, or takes more work to read than any honest file does. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/**
 * Thrown if a file is intact, but common programs can't show it. The message completes "The file …", as
 * `UnsupportedFile.fault` does.
 */
export class Unsupported extends Error {
  override readonly name = 'Unsupported';
}

/** Thrown if the beginning of a file is valid, but its media data is truncated or overwritten. */
export class Damaged extends Error {
  override readonly name = 'Damaged';
}
