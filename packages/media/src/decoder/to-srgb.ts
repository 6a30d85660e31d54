import { inflateSync } from 'node:zlib';
import type { Pixels } from './canvas.ts';
import { apply, BT709, columnsOf, invert, type Matrix, transpose, type Vector } from './colour-profile.ts';

/** Maximum size of a profile, in bytes. Usual profiles have a few thousand, those of printers a million. */
const MAX_PROFILE = 4 * 1024 * 1024;

const HEADER = 128;
const TAG = 12;

/** Converts a channel's sample to light. Both are numbers from 0 to 1. */
type Light = (sample: number) => number;

/** The content of a profile: the curve of each channel, and how the three channels mix. */
interface Space {
  readonly curves: readonly [Light, Light, Light];
  /** The matrix that mixes the channels; null for grey. */
  readonly mix: Matrix | null;
}

/**
 * Converts an image's colours to sRGB and removes its profile. Ignores broken profiles, grey profiles of images with
 * colours, and profiles that are neither grey nor those of a display or a camera.
 */
export function convertToSrgb(image: Pixels): void {
  const space = image.profile && spaceOf(image.profile);
  if (!space || (space.mix === null && !isGrey(image))) return;
  const toSrgb = converterOf(space);
  if (toSrgb !== null && !changesNothing(toSrgb))
    for (let at = 0; at < image.rows.length; at += 4) toSrgb(image.rows, at);
}

function isGrey({ rows }: Pixels): boolean {
  for (let at = 0; at < rows.length; at += 4) {
    if (rows[at] !== rows[at + 1] || rows[at] !== rows[at + 2]) return false;
  }
  return true;
}

/** Converts the pixel at an offset. */
type Converter = (pixels: Uint8Array, at: number) => void;

/**
 * Number of steps in the table from light to samples. Even at the dark end, where samples change fastest, a step
 * changes a sample by only 0.2.
 */
const STEPS = 1 << 14;

function converterOf({ curves, mix }: Space): Converter | null {
  const srgb = columnsOf(BT709);
  const fromXyz = srgb && invert(transpose(srgb));
  if (fromXyz === null) return null;
  // Without a matrix, the three channels are equal. The columns of sRGB are used instead, which keep them equal.
  const columns = (mix ?? srgb ?? []).map((column) => apply(fromXyz, column));
  const [red, green, blue] = columns as unknown as Matrix;
  const light = curves.map((curve) => Float64Array.from({ length: 256 }, (_, sample) => curve(sample / 255) * STEPS));
  const [lightOfRed = new Float64Array(), lightOfGreen = lightOfRed, lightOfBlue = lightOfRed] = light;
  const samples = Uint8Array.from({ length: STEPS + 1 }, (_, step) => Math.round(255 * srgbOf(step / STEPS)));
  const sampleOf = (value: number): number =>
    value <= 0 ? 0 : value >= STEPS ? 255 : (samples[(value + 0.5) | 0] ?? 0);
  return (pixels, at) => {
    const r = lightOfRed[pixels[at] ?? 0] ?? 0;
    const g = lightOfGreen[pixels[at + 1] ?? 0] ?? 0;
    const b = lightOfBlue[pixels[at + 2] ?? 0] ?? 0;
    pixels[at] = sampleOf(red[0] * r + green[0] * g + blue[0] * b);
    pixels[at + 1] = sampleOf(red[1] * r + green[1] * g + blue[1] * b);
    pixels[at + 2] = sampleOf(red[2] * r + green[2] * g + blue[2] * b);
  };
}

const srgbOf = (light: number): number => (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055);

/**
 * Whether converting changes nothing. That is the usual case, because most profiles describe sRGB, in one of many
 * encodings.
 */
function changesNothing(convert: Converter): boolean {
  const levels = [0, 32, 64, 96, 128, 160, 192, 224, 255];
  for (const r of levels)
    for (const g of levels)
      for (const b of levels) {
        const pixel = Uint8Array.of(r, g, b, 255);
        convert(pixel, 0);
        if ([r, g, b].some((sample, channel) => Math.abs(sample - (pixel[channel] ?? 0)) > 1)) return false;
      }
  return true;
}

/**
 * Reads a profile (ICC.1:2022, section 7).
 *
 * @param chunk the content of `iCCP` (PNG, section 11.3.2.3)
 */
function spaceOf(chunk: Uint8Array): Space | null {
  try {
    const profile = inflateSync(chunk.subarray(chunk.indexOf(0) + 2), { maxOutputLength: MAX_PROFILE });
    if (profile.toString('latin1', 36, 40) !== 'acsp') return null;
    const [colours, connection] = [profile.toString('latin1', 16, 20), profile.toString('latin1', 20, 24)];
    const tags = tagsOf(profile);
    if (colours === 'GRAY') {
      const curve = curveOf(tags.get('kTRC'));
      return { curves: [curve, curve, curve], mix: null };
    }
    if (colours !== 'RGB ' || connection !== 'XYZ ') return null;
    return {
      curves: [curveOf(tags.get('rTRC')), curveOf(tags.get('gTRC')), curveOf(tags.get('bTRC'))],
      mix: [colourOf(tags.get('rXYZ')), colourOf(tags.get('gXYZ')), colourOf(tags.get('bXYZ'))],
    };
  } catch {
    // The profile is broken or of another kind. Browsers ignore it as well.
    return null;
  }
}

function tagsOf(profile: Buffer): ReadonlyMap<string, Buffer> {
  const tags = new Map<string, Buffer>();
  const count = Math.min(profile.readUInt32BE(HEADER), 100);
  for (let index = 0; index < count; index += 1) {
    const at = HEADER + 4 + TAG * index;
    const start = profile.readUInt32BE(at + 4);
    tags.set(profile.toString('latin1', at, at + 4), profile.subarray(start, start + profile.readUInt32BE(at + 8)));
  }
  return tags;
}

/**
 * Reads the colour of a tag.
 *
 * @throws RangeError if the tag is missing or cut off
 */
function colourOf(tag: Buffer = Buffer.alloc(0)): Vector {
  return [fixedAt(tag, 8), fixedAt(tag, 12), fixedAt(tag, 16)];
}

const fixedAt = (tag: Buffer, at: number): number => tag.readInt32BE(at) / 0x10000;

/**
 * Reads the curve of a tag (sections 10.6 and 10.18).
 *
 * @throws RangeError if the tag is missing, cut off or of another type
 */
function curveOf(tag: Buffer = Buffer.alloc(0)): Light {
  const type = tag.toString('latin1', 0, 4);
  const curve = type === 'curv' ? tableOf(tag) : type === 'para' ? functionOf(tag) : null;
  if (curve === null) throw new RangeError('The curve is of another type.');
  return (sample) => {
    const light = curve(sample);
    return light >= 0 ? Math.min(1, light) : 0;
  };
}

function tableOf(tag: Buffer): Light {
  const count = tag.readUInt32BE(8);
  if (count === 0) return (sample) => sample;
  if (count === 1) {
    const gamma = tag.readUInt16BE(12) / 256;
    return (sample) => sample ** gamma;
  }
  tag.readUInt16BE(12 + 2 * (count - 1));
  return (sample) => {
    const place = sample * (count - 1);
    const below = Math.min(count - 2, Math.floor(place));
    const [a, b] = [tag.readUInt16BE(12 + 2 * below), tag.readUInt16BE(14 + 2 * below)];
    return (a + (b - a) * (place - below)) / 0xffff;
  };
}

/** Number of parameters of each type of function. */
const PARAMETERS = [1, 3, 4, 5, 7] as const;

function functionOf(tag: Buffer): Light | null {
  const type = tag.readUInt16BE(8);
  const count = PARAMETERS[type];
  if (count === undefined) return null;
  const [g = 1, a = 1, b = 0, c = 0, d = 0, e = 0, f = 0] = Array.from({ length: count }, (_, index) =>
    fixedAt(tag, 12 + 4 * index),
  );
  if (type === 0) return (x) => x ** g;
  if (type === 1) return (x) => (x >= -b / a ? (a * x + b) ** g : 0);
  if (type === 2) return (x) => (x >= -b / a ? (a * x + b) ** g + c : c);
  return (x) => (x >= d ? (a * x + b) ** g + e : c * x + f);
}
