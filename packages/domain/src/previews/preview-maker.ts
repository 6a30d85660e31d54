import type { MediaType } from '../media/types.ts';
import type { ByteSource } from '../objects/object-storage.ts';
import type { PreviewSize } from './previews.ts';

export interface PreviewSource {
  readonly bytes: ByteSource;
  readonly type: MediaType;
  /** Pixels, as displayed. */
  readonly width: number;
  readonly height: number;
}

/** At least one size. */
export interface PreviewOrder {
  readonly source: PreviewSource;
  readonly sizes: readonly PreviewSize[];
}

export interface MadePreviews {
  /** One for each size, in order: a WebP, upright, without metadata. */
  readonly files: readonly Uint8Array[];
  /** A data URL; null above {@link MAX_PLACEHOLDER_LENGTH}. */
  readonly placeholder: string | null;
}

/** Bytes. */
export const MAX_PLACEHOLDER_LENGTH = 2048;

/** Decodes untrusted images outside of this process. */
export interface PreviewMaker {
  /**
   * null if the image can never be decoded within the bounds: it is damaged, too large, or of another type.
   *
   * @param signal its reason is thrown
   * @throws Error if no image can be decoded at the moment; and what `source.bytes.read` throws
   */
  make(source: PreviewSource, sizes: readonly PreviewSize[], signal: AbortSignal): Promise<MadePreviews | null>;
  /**
   * At the lowest priority, images of one workspace one after the other. Each as {@link make} returns it, or
   * `undecided`: something ended the work at this image or before it, so it is to be made alone, where it is always
   * decided.
   */
  makeAhead(
    orders: readonly PreviewOrder[],
    signal: AbortSignal,
  ): Promise<readonly (MadePreviews | null | 'undecided')[]>;
}
