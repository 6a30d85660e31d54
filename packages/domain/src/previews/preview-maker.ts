import type { MediaType } from '../media/types.ts';
import type { ByteSource } from '../objects/object-storage.ts';
import type { PreviewSize } from './previews.ts';

/** A picture to make previews of. */
export interface PreviewSource {
  readonly bytes: ByteSource;
  /** An image's. */
  readonly type: MediaType;
  /** Pixels, as displayed. */
  readonly width: number;
  readonly height: number;
}

/** What was made of a picture. */
export interface MadePreviews {
  /** One for each requested size, in the same order: a WebP, upright, without metadata. */
  readonly files: readonly Uint8Array[];
  /** A data URL of at most {@link MAX_PLACEHOLDER_LENGTH} bytes; null where it would be longer. */
  readonly placeholder: string | null;
}

/** Bytes of a placeholder. */
export const MAX_PLACEHOLDER_LENGTH = 2048;

/** Decodes pictures, which are an attacker's, outside of this process. How many at once is its callers' concern. */
export interface PreviewMaker {
  /**
   * Previews of these sizes, which are at least one. null when the picture can't be decoded within the bounds on its pixels,
   * memory and time, whenever it is tried: it is damaged, too large, or not what its item says.
   *
   * @param signal ends the making; its reason is thrown
   * @throws Error where it isn't the picture's fault: nothing can be decoded just now; and what `source.bytes.read` throws
   */
  make(source: PreviewSource, sizes: readonly PreviewSize[], signal: AbortSignal): Promise<MadePreviews | null>;
}
