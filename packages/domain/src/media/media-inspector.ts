import type { ByteSource } from '../objects/object-storage.ts';
import type { MediaContent } from './item.ts';
import type { MediaType } from './types.ts';

/** Size and hash are the storage's. */
export type MediaFacts = Omit<MediaContent, 'size' | 'sha256'>;

/** Bytes are untrusted: memory and time are bounded. */
export interface MediaInspector {
  readonly headLength: number;
  /** null for none of the six. Never throws. */
  recognise(head: Uint8Array): Promise<MediaType | null>;
  /**
   * Parses the bytes as what they claim. null: none of the six, or it can't be parsed; `damaged`: media data is
   * missing. Bytes after the end are allowed. Throws only what `source.read` throws.
   */
  inspect(source: ByteSource): Promise<MediaFacts | 'damaged' | null>;
}
