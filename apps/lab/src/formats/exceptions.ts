import type { Views } from './oracles/view.ts';
import type { Stored } from './service.ts';
import type { Specimen } from './specimen.ts';

/** A property about which the service and the oracles may disagree. */
export type Property =
  | 'acceptance'
  | 'reason'
  | 'type'
  | 'size'
  | 'pixels'
  | 'metadata'
  | 'duration'
  | 'time'
  | 'preview'
  | 'cover'
  | 'shape';

interface Question {
  readonly specimen: Specimen;
  readonly property: Property;
  readonly oracle: string;
  readonly stored: Stored;
  readonly views: Views;
}

interface Exception {
  readonly oracle: string;
  readonly properties: readonly Property[];
  /** Whether the exception applies to a question. Without this function it always applies. */
  readonly when?: (question: Question) => boolean;
  /** Why the oracle's answer doesn't count. */
  readonly reason: string;
}

/** Cases in which an oracle is known to be wrong, or to answer another question. */
const EXCEPTIONS: readonly Exception[] = [
  {
    oracle: 'Chromium',
    properties: ['duration'],
    when: ({ views }) => hasNote(views, 'fragments'),
    reason:
      'It counts from the beginning of the stream that the video was cut from, and changes the duration with each fragment that it reads.',
  },
  {
    oracle: 'Chromium',
    properties: ['duration'],
    when: ({ views }) => hasNote(views, 'edits'),
    reason:
      'It plays what the edits show, but its duration lacks an empty edit at the beginning, and later includes frames that the edits omit.',
  },
  {
    oracle: 'Chromium',
    properties: ['preview', 'cover'],
    when: ({ views }) => hasNote(views, 'primaries or curve of another screen') && !hasNote(views, 'HDR'),
    reason:
      'It converts primaries and curves of SDR. Covers and fitted videos keep them, as decided: only matrix and range are converted.',
  },
  {
    oracle: 'Chromium',
    properties: ['preview'],
    when: ({ views }) => hasNote(views, 'still image beside the animation'),
    reason:
      'It draws the animation. A preview is a still image, and an APNG may contain one that is not part of the animation (PNG, section 4.9).',
  },
  {
    oracle: 'Chromium',
    properties: ['preview'],
    when: ({ views }) => hasNote(views, 'no end marker'),
    reason: 'It waits for more of a JPEG without an end marker, and holds back the last rows that it has decoded.',
  },
  {
    oracle: 'Chromium',
    properties: ['preview'],
    when: ({ views }) => hasNote(views, 'animated WebP with a profile'),
    reason: 'It ignores the profile of an animation, which applies to all frames (RFC 9649, section 2.7.1.4).',
  },
  {
    oracle: 'Chromium',
    properties: ['size', 'preview'],
    when: ({ views }) => hasNote(views, 'cropped'),
    reason: 'It shows a HEIF image without its crop.',
  },
  {
    oracle: 'Chromium',
    properties: ['preview'],
    when: ({ views }) => hasNote(views, 'sequence'),
    reason: 'It reads full-range samples of an AVIF sequence as limited-range samples, unlike libavif.',
  },
  {
    oracle: 'Chromium',
    properties: ['preview'],
    when: ({ specimen: { traits } }) => traits.order === 'mirror, turn',
    reason:
      'It rotates an image before it mirrors it, even if the file lists these in the opposite order (ISO/IEC 23008-12, 6.5.1).',
  },
  {
    oracle: 'ExifTool',
    properties: ['metadata'],
    when: ({ specimen: { traits } }) => traits.layout === 'data inside',
    reason: 'It finds no metadata in the box `idat`.',
  },
  {
    oracle: 'libheif and libavif',
    properties: ['acceptance'],
    when: ({ specimen: { family, traits } }) => family === 'heic' && isDeep(traits) && traits.mirrored !== undefined,
    reason: 'heif-convert of libheif 1.15 cannot show a mirrored image of more than 8 bits.',
  },
  {
    oracle: 'libheif and libavif',
    properties: ['type', 'pixels', 'preview'],
    when: ({ specimen: { family, traits } }) => family === 'heic' && isTransformed(traits) && isTransparent(traits),
    reason: 'heif-convert of libheif 1.15 loses the transparency of a rotated or cropped image.',
  },
  {
    oracle: 'libheif and libavif',
    properties: ['preview'],
    when: ({ specimen: { family, traits } }) =>
      family === 'heic' && isTransformed(traits) && isDeep(traits) && traits.colours === 'swapped profile',
    reason: 'heif-convert of libheif 1.15 loses the profile of a rotated image of more than 8 bits.',
  },
  {
    oracle: 'libvips',
    properties: ['preview'],
    when: ({ views }) => hasNote(views, 'colours without a profile'),
    reason: 'It converts colours only by profiles; browsers also use gAMA, cHRM and cICP (PNG, section 4.3).',
  },
  {
    oracle: 'libvips',
    properties: ['preview'],
    when: ({ views }) => hasNote(views, 'CMYK without a profile'),
    reason: 'It assumes the inks of a printing press; browsers assume the complements of red, green and blue.',
  },
  {
    oracle: 'libvips',
    properties: ['size', 'preview'],
    when: ({ views }) => hasNote(views, 'WebP with an orientation'),
    reason: 'It rotates a WebP by its EXIF orientation; browsers do not.',
  },
  {
    oracle: 'libvips',
    properties: ['size', 'preview'],
    when: ({ views }) => hasNote(views, 'orientation that browsers read otherwise'),
    reason:
      'It accepts an orientation of any numeric type; browsers accept only a single SHORT (EXIF 3.0, section 4.6.5.1.6).',
  },
];

type Traits = Specimen['traits'];

const isDeep = ({ bits }: Traits): boolean => bits === '10' || bits === '12';
const isTransparent = ({ alpha }: Traits): boolean => alpha === 'straight' || alpha === 'multiplied';
const isTransformed = ({ turn, mirrored, crop }: Traits): boolean =>
  [turn, mirrored, crop].some((trait) => trait !== undefined);

const hasNote = (views: Views, note: string): boolean => [...views.values()].some(({ notes }) => notes?.includes(note));

/** Returns the reason why an oracle's answer doesn't count; null if it counts. */
export const exceptionTo = (question: Question): string | null =>
  EXCEPTIONS.find(
    ({ oracle, properties, when }) =>
      oracle === question.oracle && properties.includes(question.property) && (when?.(question) ?? true),
  )?.reason ?? null;
