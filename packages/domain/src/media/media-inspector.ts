import type { ByteSource } from '../objects/object-storage.ts';
import type { MediaContent } from './item.ts';
import type { MediaType } from './types.ts';

/** What the bytes are, without what the storage knows of them. */
export type MediaFacts = Omit<MediaContent, 'size' | 'sha256'>;

/** Reads what a file is from its bytes. They are an attacker's: bounded memory and time for any of them. */
export interface MediaInspector {
  /** How many first bytes {@link recognise} wants, where the file has that many. */
  readonly headLength: number;
  /** Which of the six types the first bytes claim; null for any other. Never throws. */
  recognise(head: Uint8Array): Promise<MediaType | null>;
  /**
   * Parses the bytes as what they begin as: an image must have dimensions, a video a video track and a duration.
   * null when they are none of the six types or don't parse; `damaged` when they begin well but their media data isn't
   * all there. Bytes behind the end are fine. Throws only what `source.read` throws.
   */
  inspect(source: ByteSource): Promise<MediaFacts | 'damaged' | null>;
}
