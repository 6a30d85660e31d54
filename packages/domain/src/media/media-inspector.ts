import type { ByteSource } from '../objects/object-storage.ts';
import type { ConvertedType } from './converted-type.ts';
import type { MediaContent } from './item.ts';
import type { MediaType } from './types.ts';

/** The properties that an inspection finds; the storage provides size and hash. */
export type MediaFacts = Omit<MediaContent, 'size' | 'sha256'>;

/** A file that is recognised but not accepted. */
export interface UnsupportedFile {
  /** The accepted type of which the file is a variant; null if there is none. */
  readonly type: MediaType | null;
  /**
   * Completes the sentence "The file …" with what the file is and why it isn't accepted. A second sentence says what
   * the user can do: "is a lossless JPEG, which browsers can't show. Save it as an ordinary JPEG."
   */
  readonly fault: string;
  /** The type of an image that can be converted to an accepted one. */
  readonly convertible?: ConvertedType;
}

/** The result of an inspection; null if the file isn't recognised. */
export type Inspection = MediaFacts | UnsupportedFile | 'damaged' | null;

export const isSound = (verdict: Inspection): verdict is MediaFacts =>
  typeof verdict === 'object' && verdict !== null && 'width' in verdict;

/** Returns the type of an image that can be converted; null for any other file. */
export const convertibleType = (verdict: Inspection | MediaType): ConvertedType | null =>
  (typeof verdict === 'object' && verdict !== null && 'convertible' in verdict && verdict.convertible) || null;

/** Inspects media files. The bytes are untrusted, so memory and time are bounded. */
export interface MediaInspector {
  readonly headLength: number;
  /**
   * Returns the type of a file according to its first bytes, or why the file isn't accepted; null if the file isn't
   * recognised. Never throws.
   */
  recognise(head: Uint8Array): Promise<MediaType | UnsupportedFile | null>;
  /**
   * Parses a file as the type that its first bytes claim. Returns null if the type is unknown or the file can't be
   * parsed, and `damaged` if media data is missing. Trailing bytes are allowed.
   *
   * @throws Refusal `unavailable` if the file can't be checked at the moment; whatever `source.read` throws
   */
  inspect(source: ByteSource): Promise<Inspection>;
  /**
   * Inspects a file as it passes through, while `read` reads its bytes to the end.
   *
   * @param type the recognised type
   * @returns the result of `read`, and the properties as `facts`. They are null if the whole file has to be inspected
   *   afterwards: always for types without an end marker, and for other types if the file isn't intact
   * @throws whatever `read` throws
   */
  inspectWhile<T>(
    type: MediaType,
    body: AsyncIterable<Uint8Array>,
    read: (body: AsyncIterable<Uint8Array>) => Promise<T>,
  ): Promise<{ readonly result: T; readonly facts: MediaFacts | null }>;
}
