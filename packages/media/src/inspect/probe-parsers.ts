/// <reference path="./probe-image-size.d.ts" />

// The parsers of probe-image-size one by one: its main entry brings an HTTP client along.
export { Parser as ExifParser } from 'probe-image-size/lib/common/exif_orientation_parser.js';
export { DONE, NEED_MORE } from 'probe-image-size/lib/common/utils.js';
export { Parser as GifParser } from 'probe-image-size/lib/formats/gif.js';
export { Parser as JpegParser } from 'probe-image-size/lib/formats/jpeg.js';
export { Parser as PngParser } from 'probe-image-size/lib/formats/png.js';
export { Parser as WebpParser } from 'probe-image-size/lib/formats/webp.js';
