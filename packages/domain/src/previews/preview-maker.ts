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

/** An image, and the sizes of the previews to make of it, at least one. */
export interface PreviewOrder {
  readonly source: PreviewSource;
  readonly sizes: readonly PreviewSize[];
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
  /**
   * Makes previews that nobody waits for, at the lowest priority of processor and disk that the machine offers, of
   * several images of one workspace one after the other. In their order, each as {@link make} returns it, or `undecided`:
   * something ended the work at this image or before it, so it has to be made alone, where it is always decided.
   * Throws as {@link make}.
   */
  makeAhead(
    orders: readonly PreviewOrder[],
    signal: AbortSignal,
  ): Promise<readonly (MadePreviews | null | 'undecided')[]>;
}
