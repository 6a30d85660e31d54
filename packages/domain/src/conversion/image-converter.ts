import type { ConvertedType } from '../media/converted-type.ts';
import type { MadeFile } from '../objects/made-file.ts';
import type { ByteSource } from '../objects/object-storage.ts';

/** Decodes untrusted images outside this process. */
export interface ImageConverter {
  /**
   * Converts the primary image to an upright JPEG, or to an upright PNG if any part of it is transparent. The file
   * keeps the colour profile or is in sRGB, and it keeps the EXIF and XMP data. The same bytes always produce the same
   * file.
   *
   * @returns null if the image can't be decoded within the limits
   * @throws Refusal `unavailable` if no image can be decoded at the moment; the signal's reason; whatever `source.read`
   *   throws
   */
  convert(source: ByteSource, type: ConvertedType, signal: AbortSignal): Promise<MadeFile | null>;
}
