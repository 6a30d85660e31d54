import type { MediaType } from '../media/types.ts';
import type { ByteSource } from '../objects/object-storage.ts';
import type { PreviewSize } from './previews.ts';

/** An image to make previews of. */
export interface PreviewSource {
  readonly bytes: ByteSource;
  /** An image's. */
  readonly type: MediaType;
  /** Pixels, as displayed. */
  readonly width: number;
  readonly height: number;
}

/** The previews made of an image. */
export interface MadePreviews {
  /** One for each requested size, in the same order: a WebP, upright, without metadata. */
  readonly files: readonly Uint8Array[];
  /** A data URL of at most {@link MAX_PLACEHOLDER_LENGTH} bytes; null where it would be longer. */
  readonly placeholder: string | null;
}

/** Bytes of a placeholder. */
export const MAX_PLACEHOLDER_LENGTH = 2048;

/** Decodes untrusted images outside of this process. Its callers limit how many are decoded concurrently. */
export interface PreviewMaker {
  /**
   * Makes previews of the given sizes, at least one. null if the image can never be decoded within the bounds on
   * pixels, memory and time: it is damaged, too large, or of another type than its item says.
   *
   * @param signal cancels it; its reason is thrown
   * @throws Error if no image can be decoded at the moment; and what `source.bytes.read` throws
   */
  make(source: PreviewSource, sizes: readonly PreviewSize[], signal: AbortSignal): Promise<MadePreviews | null>;
}
