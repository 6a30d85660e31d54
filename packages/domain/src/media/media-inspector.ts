import type { ByteSource } from '../objects/object-storage.ts';
import type { MediaContent } from './item.ts';
import type { MediaType } from './types.ts';

/** The facts found in the bytes, without size and hash, which the storage knows. */
export type MediaFacts = Omit<MediaContent, 'size' | 'sha256'>;

/** Determines a file's type and facts from its bytes. They are untrusted: memory and time are bounded. */
export interface MediaInspector {
  /** How many first bytes {@link recognise} needs, if the file has that many. */
  readonly headLength: number;
  /** The type that the first bytes claim, one of the six; null for any other. Never throws. */
  recognise(head: Uint8Array): Promise<MediaType | null>;
  /**
   * Parses the bytes as the type that their beginning claims: an image must have dimensions, a video a video track and
   * a duration. null if they are none of the six types or can't be parsed; `damaged` if the beginning is valid but
   * media data is missing. Additional bytes at the end are allowed. Throws only what `source.read` throws.
   */
  inspect(source: ByteSource): Promise<MediaFacts | 'damaged' | null>;
}
