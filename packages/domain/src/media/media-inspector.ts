import type { ByteSource } from '../objects/object-storage.ts';
import type { MediaContent } from './item.ts';
import type { MediaType } from './types.ts';

/** Without size and hash, which the storage knows. */
export type MediaFacts = Omit<MediaContent, 'size' | 'sha256'>;

/** Bytes are untrusted: memory and time are bounded. */
export interface MediaInspector {
  /** First bytes that {@link recognise} needs, if the file has that many. */
  readonly headLength: number;
  /** The type that the first bytes claim; null for none of the six. Never throws. */
  recognise(head: Uint8Array): Promise<MediaType | null>;
  /**
   * Parses the bytes as the type that they claim: an image has dimensions, a video a video track and a duration. null:
   * none of the six, or it can't be parsed; `damaged`: media data is missing. Bytes after the end are allowed. Throws
   * only what `source.read` throws.
   */
  inspect(source: ByteSource): Promise<MediaFacts | 'damaged' | null>;
}
