import type { ConvertedType, UnsupportedFile } from '@postshelf/domain';
import type { OtherBeginning } from '@postshelf/domain/formats';

const TO_JPEG = 'Save it as JPEG.';
const TO_MP4 = 'Convert it to MP4.';
const HEIC = `is a HEIC image. ${TO_JPEG} On an iPhone, choose Settings > Camera > Formats > Most Compatible.`;
const HEIF = `is an HEIF image. ${TO_JPEG}`;
const AVIF = 'is an AVIF image. Save it as JPEG, PNG or WebP.';
const RAW = `is a raw photo of a camera. ${TO_JPEG}`;
const JPEG_2000 = `is a JPEG 2000 image. ${TO_JPEG}`;
const AUDIO = 'is an audio file without a video.';

export const THREE_GP = `is a 3GP video, which browsers and networks don't play. ${TO_MP4}`;
const SEGMENT = "is a segment of a stream, which can't be played by itself. Download the whole video.";

const BY_BEGINNING: Readonly<Record<OtherBeginning['other'], string>> = {
  heic: HEIC,
  heif: HEIF,
  avif: AVIF,
  cr3: RAW,
  jp2: JPEG_2000,
  '3gp': THREE_GP,
  audio: AUDIO,
  segment: SEGMENT,
};

/**
 * Descriptions of images, videos and documents that users expect to be able to upload, by the MIME type that file-type
 * reports. Types that are recognised by the brands in their first box are described elsewhere.
 */
const FAULTS: Readonly<Record<string, string>> = {
  'image/jxl': `is a JPEG XL image. ${TO_JPEG}`,
  'image/jls': `is a JPEG-LS image. ${TO_JPEG}`,
  'image/jp2': JPEG_2000,
  'image/jpx': JPEG_2000,
  'image/jpm': JPEG_2000,
  'image/j2c': JPEG_2000,
  'image/mj2': `is a Motion JPEG 2000 video. ${TO_MP4}`,
  'image/tiff': `is a TIFF image. ${TO_JPEG}`,
  'image/bmp': 'is a BMP image. Save it as PNG or JPEG.',
  'image/x-icon': 'is an icon file. Save it as PNG.',
  'image/icns': 'is an icon file. Save it as PNG.',
  'image/vnd.ms-photo': `is a JPEG XR image. ${TO_JPEG}`,
  'image/vnd.adobe.photoshop': 'is a Photoshop document. Export it as JPEG or PNG.',
  'image/x-xcf': 'is a GIMP document. Export it as JPEG or PNG.',
  'image/flif': 'is a FLIF image. Save it as PNG.',
  'image/bpg': `is a BPG image. ${TO_JPEG}`,
  'image/x-canon-cr2': RAW,
  'image/x-olympus-orf': RAW,
  'image/x-sony-arw': RAW,
  'image/x-adobe-dng': RAW,
  'image/x-nikon-nef': RAW,
  'image/x-panasonic-rw2': RAW,
  'image/x-fujifilm-raf': RAW,
  'application/x-mie': RAW,
  'application/pdf': 'is a PDF document. Export its pages as JPEG or PNG.',
  'application/postscript': 'is a PostScript document. Export it as JPEG or PNG.',
  'application/eps': 'is an EPS document. Export it as JPEG or PNG.',
  'video/webm': `is a WebM video. ${TO_MP4}`,
  'video/matroska': `is a Matroska video. ${TO_MP4}`,
  'video/vnd.avi': `is an AVI video. ${TO_MP4}`,
  'video/mpeg': `is an MPEG video. ${TO_MP4}`,
  'video/MP1S': `is an MPEG video. ${TO_MP4}`,
  'video/MP2P': `is an MPEG video. ${TO_MP4}`,
  'video/mp2t': `is an MPEG transport stream. ${TO_MP4}`,
  'video/ogg': `is an Ogg video. ${TO_MP4}`,
  'video/x-flv': `is a Flash video. ${TO_MP4}`,
  'video/x-ms-asf': `is a Windows Media video. ${TO_MP4}`,
  'application/vnd.ms-asf': `is a Windows Media file. ${TO_MP4}`,
  'application/mxf': `is an MXF video. ${TO_MP4}`,
  'application/zip': 'is a ZIP archive. Unpack it first.',
  'application/gzip': 'is a gzip archive. Unpack it first.',
};

const WEB_PAGE = 'is a web page. Save the image or video itself, or use its own address.';
const SVG = 'is an SVG image. Export it as PNG.';
const DATA_URL = 'is the text of a data URL. Decode it first.';
const BASE64 = 'is encoded in Base64. Decode it first.';

/** Matches the first bytes of an image or a video in Base64: JPEG, PNG, GIF, RIFF with WEBP, and a box `ftyp`. */
const IN_BASE64 = /^(?:\/9j\/|iVBORw0KGgo|R0lGOD[dl]h|UklGR.{6}XRUJQ|AAAA.{2}Z0eX)/;

/** Returns a pattern for an element with this name, which may have a namespace. */
const element = (name: string): RegExp => new RegExp(`<(?:\\w{1,20}:)?${name}[\\s>]`, 'i');
const [SVG_ELEMENT, HTML_ELEMENT] = [element('svg'), element('html')];

/** Recognises text that users mistake for an image or a video. Unlike other types, text has no signature of its own. */
export function otherText(head: Uint8Array): UnsupportedFile | null {
  const isUtf16 = head[0] === 0xff && head[1] === 0xfe;
  const text = new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(head).trimStart();
  if (text.startsWith('data:image/') || text.startsWith('data:video/')) return of(DATA_URL);
  if (IN_BASE64.test(text)) return of(BASE64);
  if (!text.startsWith('<')) return null;
  if (/^<!doctype html/i.test(text) || HTML_ELEMENT.test(text)) return of(WEB_PAGE);
  return SVG_ELEMENT.test(text) ? of(SVG) : null;
}

const of = (fault: string): UnsupportedFile => ({ type: null, fault });

/** Types that can be converted, by the brands of a file. */
const CONVERTIBLE: Readonly<Partial<Record<OtherBeginning['other'], ConvertedType>>> = {
  heic: 'image/heic',
  heif: 'image/heif',
  avif: 'image/avif',
};

export function otherBeginning({ other }: OtherBeginning): UnsupportedFile {
  const convertible = CONVERTIBLE[other];
  return { ...of(BY_BEGINNING[other]), ...(convertible && { convertible }) };
}

/**
 * Describes a type that isn't accepted.
 *
 * @param mime the MIME type that file-type reports
 * @returns null if the type means nothing to a user
 */
export function otherType(mime: string): UnsupportedFile | null {
  const fault = FAULTS[mime] ?? (mime.startsWith('audio/') ? AUDIO : null);
  return fault === null ? null : of(fault);
}
