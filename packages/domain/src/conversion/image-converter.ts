import type { ConvertedType } from '../media/converted-type.ts';
import type { MadeFile } from '../objects/made-file.ts';
import type { ByteSource } from '../objects/object-storage.ts';

/** Decodes untrusted images outside of this process. */
export interface ImageConverter {
  /**
   * The primary image, upright: a JPEG, or a PNG if any part of it is transparent, with its colour profile or in sRGB, and with
   * the EXIF and XMP that it has. The same bytes always become the same file.
   *
   * @returns null if the image can't be decoded within the bounds
   * @throws Refusal `unavailable` if none can be decoded at the moment; the signal's reason; what `source.read` throws
   */
  convert(source: ByteSource, type: ConvertedType, signal: AbortSignal): Promise<MadeFile | null>;
}
