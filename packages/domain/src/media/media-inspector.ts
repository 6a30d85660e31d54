import type { ByteSource } from '../objects/object-storage.ts';
import type { ConvertedType } from './converted-type.ts';
import type { MediaContent } from './item.ts';
import type { MediaType } from './types.ts';

/** Size and hash are the storage's. */
export type MediaFacts = Omit<MediaContent, 'size' | 'sha256'>;

/** A file that is recognised, but isn't taken. */
export interface UnsupportedFile {
  /** The one of the six types that it is a variant of; null for any other type. */
  readonly type: MediaType | null;
  /**
   * Completes "The file …": what it is, why it isn't taken, and what the user can do. Whole sentences: "is a lossless
   * JPEG, which browsers can't show. Save it as an ordinary JPEG."
   */
  readonly fault: string;
  /** The type of an image that can be converted into one that is taken. */
  readonly convertible?: ConvertedType;
}

/** What an inspection found; null: nothing that is known. */
export type Inspection = MediaFacts | UnsupportedFile | 'damaged' | null;

export const isSound = (verdict: Inspection): verdict is MediaFacts =>
  typeof verdict === 'object' && verdict !== null && 'width' in verdict;

/** The type of an image that can be converted; null for any other file. */
export const convertibleType = (verdict: Inspection | MediaType): ConvertedType | null =>
  (typeof verdict === 'object' && verdict !== null && 'convertible' in verdict && verdict.convertible) || null;

/** Bytes are untrusted: memory and time are bounded. */
export interface MediaInspector {
  readonly headLength: number;
  /** The type that the first bytes claim, or what else the file is; null if that isn't known. Never throws. */
  recognise(head: Uint8Array): Promise<MediaType | UnsupportedFile | null>;
  /**
   * Parses the bytes as what they claim. null: they are of no known type, or can't be parsed; `damaged`: media data is
   * missing. Bytes after the end are allowed.
   *
   * @throws Refusal `unavailable` if the file can't be checked at the moment; what `source.read` throws
   */
  inspect(source: ByteSource): Promise<Inspection>;
  /**
   * Inspects a file on its way, while `read` reads its bytes to the end.
   *
   * @param type as recognised
   * @returns null for the facts if the whole file is to be inspected: of a type whose end can't be told on the way, and
   * whenever it isn't sound
   * @throws what `read` throws
   */
  inspectWhile<T>(
    type: MediaType,
    body: AsyncIterable<Uint8Array>,
    read: (body: AsyncIterable<Uint8Array>) => Promise<T>,
  ): Promise<{ readonly result: T; readonly facts: MediaFacts | null }>;
}
