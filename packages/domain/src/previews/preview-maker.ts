import type { MediaType } from '../media/types.ts';
import type { ByteSource } from '../objects/object-storage.ts';
import type { PreviewSize } from './previews.ts';

export interface PreviewSource {
  readonly bytes: ByteSource;
  readonly type: MediaType;
  /** Size in pixels, as displayed. */
  readonly width: number;
  readonly height: number;
}

export interface PreviewOrder {
  readonly source: PreviewSource;
  readonly sizes: readonly PreviewSize[];
}

export interface MadePreviews {
  /** One upright WebP without metadata per size, in order. */
  readonly files: readonly Uint8Array[];
  /** A data URL. */
  readonly placeholder: string | null;
}

/** Maximum length in bytes. */
export const MAX_PLACEHOLDER_LENGTH = 2048;

/** Decodes untrusted images outside this process. */
export interface PreviewMaker {
  /**
   * Makes previews. Returns null if the image can never be decoded within the limits.
   *
   * @throws the signal's reason; Error if no image can be decoded at the moment; whatever `source.bytes.read` throws
   */
  make(source: PreviewSource, sizes: readonly PreviewSize[], signal: AbortSignal): Promise<MadePreviews | null>;
  /**
   * Makes previews at the lowest priority, one after another. The result for an image is `undecided` if the work failed
   * at this image or at an earlier one, or if `isQuiet` returned false after an earlier one. After a failure, an
   * undecided image has to be tried again separately.
   */
  makeAhead(
    orders: readonly PreviewOrder[],
    signal: AbortSignal,
    isQuiet: () => boolean,
  ): Promise<readonly (MadePreviews | null | 'undecided')[]>;
}
