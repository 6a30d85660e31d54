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

export interface PreviewOrder {
  readonly source: PreviewSource;
  readonly sizes: readonly PreviewSize[];
}

export interface MadePreviews {
  /** In order: a WebP, upright, without metadata. */
  readonly files: readonly Uint8Array[];
  /** A data URL. */
  readonly placeholder: string | null;
}

/** Bytes. */
export const MAX_PLACEHOLDER_LENGTH = 2048;

/** Decodes untrusted images outside of this process. */
export interface PreviewMaker {
  /**
   * null if the image can never be decoded within the bounds.
   *
   * @throws the signal's reason; Error if no image can be decoded at the moment; what `source.bytes.read` throws
   */
  make(source: PreviewSource, sizes: readonly PreviewSize[], signal: AbortSignal): Promise<MadePreviews | null>;
  /**
   * At the lowest priority, one after the other. `undecided`: something ended the work at this image or before it, so
   * it is to be made alone; or `isQuiet` was false after an earlier one.
   */
  makeAhead(
    orders: readonly PreviewOrder[],
    signal: AbortSignal,
    isQuiet: () => boolean,
  ): Promise<readonly (MadePreviews | null | 'undecided')[]>;
}
