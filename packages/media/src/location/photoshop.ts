import { viewOf } from '@postshelf/domain/formats';
import { stripExif } from './exif.ts';
import { latin1, type Outcome } from './names.ts';
import { stripXmp } from './xmp.ts';

/** The start of a JPEG segment with Photoshop's resources. */
const PREFIX = 'Photoshop 3.0\0';
const SIGNATURE = '8BIM';
/** Length of a resource's signature and number, which its name follows. */
const NAME_OFFSET = 6;
const SIZE_LENGTH = 4;
/** Numbers of the resources with EXIF and XMP. */
const [EXIF, EXIF_3, XMP] = [0x0422, 0x0423, 0x0424];
/** Maximum number of resources with metadata; programs write one of each kind. */
const MAX_METADATA = 4;

/** Whether a JPEG segment, or a profile in a PNG, has Photoshop's resources. ImageMagick writes PNG without the prefix. */
export const isPhotoshop = (content: Uint8Array): boolean => begins(content, PREFIX) || begins(content, SIGNATURE);

const begins = (content: Uint8Array, beginning: string): boolean =>
  latin1(content.subarray(0, beginning.length)) === beginning;

/**
 * Removes coordinates from Photoshop's resources (Adobe Photoshop File Formats Specification, "Image Resource Blocks"),
 * in place. ImageMagick copies the resources of a PSD file into JPEG and PNG. A resource that has to be removed as a
 * whole is filled with zeros.
 *
 * @param stripThumbnail strips a JPEG in place; returns whether it changed
 */
export function stripPhotoshop(content: Uint8Array, stripThumbnail: (jpeg: Uint8Array) => boolean): Outcome {
  const view = viewOf(content);
  let outcome: Outcome = 'untouched';
  let metadata = 0;
  let at = begins(content, PREFIX) ? PREFIX.length : 0;
  while (begins(content.subarray(at), SIGNATURE) && at + NAME_OFFSET < content.length) {
    const number = view.getUint16(at + SIGNATURE.length);
    const nameLength = 1 + view.getUint8(at + NAME_OFFSET);
    const sizeAt = at + NAME_OFFSET + nameLength + (nameLength % 2);
    const start = sizeAt + SIZE_LENGTH;
    if (start > content.length) break;
    const size = view.getUint32(sizeAt);
    const data = content.subarray(start, start + size);
    if (number === EXIF || number === EXIF_3 || number === XMP) {
      metadata += 1;
      if (metadata > MAX_METADATA) return 'drop';
      const stripped = number === XMP ? stripXmp(data) : stripExif(data, stripThumbnail);
      if (stripped === 'drop') data.fill(0);
      if (stripped !== 'untouched') outcome = 'changed';
    }
    at = start + size + (size % 2);
  }
  return outcome;
}
