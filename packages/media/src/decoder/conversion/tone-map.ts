import type { ColourNumbers } from '@postshelf/domain/formats';
import { apply, BT709, columnsOf, invert, type Matrix, PRIMARIES, transpose, type Vector } from '../colour-profile.ts';
import type { Raster } from './raster.ts';

/** The curve of an HDR image (ITU-T H.273, table 3). */
export type HdrCurve = 'hlg' | 'pq';

export const hdrCurveOf = (numbers: ColourNumbers | null): HdrCurve | null =>
  numbers?.transfer === 16 ? 'pq' : numbers?.transfer === 18 ? 'hlg' : null;

/** Luminance of diffuse white, and peak luminance of a display for HLG, in cd/m² (ITU-R BT.2408). */
const [WHITE, HLG_PEAK] = [203, 1000];

/**
 * Multiples of diffuse white. Light up to `KNEE` is unchanged; brighter light is compressed so that `BRIGHTEST` becomes
 * white. Covers of videos use the same curve.
 */
const [KNEE, BRIGHTEST] = [0.8, 10];

/**
 * Converts HDR to sRGB with 8 bits. Light up to {@link KNEE} is unchanged, and brighter light is compressed.
 *
 * @param raster deep samples, which it may overwrite
 */
export function toneMapped(raster: Raster, curve: HdrCurve, { primaries }: ColourNumbers): Raster {
  const { width, height, channels, stride, samples, bits } = raster;
  const max = 2 ** bits - 1;
  const light = Float64Array.from({ length: max + 1 }, (_, sample) => LIGHT[curve](sample / max));
  const [first, second, third] = matrixToSrgb(primaries);
  const mapped = new Uint8Array(width * height * channels);
  const [lumaR, lumaG, lumaB] = LUMA;
  let to = 0;
  for (let y = 0; y < height; y += 1) {
    const end = y * stride + channels * width;
    for (let at = y * stride; at < end; at += channels, to += channels) {
      let r = light[samples[at] ?? 0] ?? 0;
      let g = light[samples[at + 1] ?? 0] ?? 0;
      let b = light[samples[at + 2] ?? 0] ?? 0;
      if (curve === 'hlg') {
        // Converts scene light to display light (ITU-R BT.2100, table 5).
        const gain = (HLG_PEAK / WHITE) * (lumaR * r + lumaG * g + lumaB * b) ** 0.2;
        [r, g, b] = [r * gain, g * gain, b * gain];
      }
      const red = Math.max(0, first[0] * r + first[1] * g + first[2] * b);
      const green = Math.max(0, second[0] * r + second[1] * g + second[2] * b);
      const blue = Math.max(0, third[0] * r + third[1] * g + third[2] * b);
      const brightest = Math.max(red, green, blue);
      const scale = brightest <= KNEE ? 1 : pressed(brightest) / brightest;
      mapped[to] = sampleOf(red * scale);
      mapped[to + 1] = sampleOf(green * scale);
      mapped[to + 2] = sampleOf(blue * scale);
      if (channels === 4) mapped[to + 3] = Math.round((255 * (samples[at + 3] ?? max)) / max);
    }
  }
  return { width, height, channels, stride: channels * width, samples: mapped, bits: 8 };
}

/** Luma coefficients of BT.2020. */
const LUMA: Vector = [0.2627, 0.678, 0.0593];

/**
 * Functions that convert a sample to linear light. 1 means diffuse white for PQ, and the brightest light of the scene
 * for HLG.
 */
const LIGHT: Readonly<Record<HdrCurve, (sample: number) => number>> = {
  pq(sample) {
    // ITU-R BT.2100, table 4.
    const [m1, m2] = [2610 / 16384, 2523 / 32];
    const [c1, c2, c3] = [3424 / 4096, 2413 / 128, 2392 / 128];
    const power = sample ** (1 / m2);
    return ((10_000 / WHITE) * Math.max(0, power - c1) ** (1 / m1)) / (c2 - c3 * power) ** (1 / m1);
  },
  hlg(sample) {
    const [a, b, c] = [0.17883277, 0.28466892, 0.55991073];
    return sample <= 0.5 ? (sample * sample) / 3 : (Math.exp((sample - c) / a) + b) / 12;
  },
};

/** Compresses light by the curve “mobius” of ffmpeg's filter `tonemap`. */
function pressed(light: number): number {
  const a = (-KNEE * KNEE * (BRIGHTEST - 1)) / (KNEE * KNEE - 2 * KNEE + BRIGHTEST);
  const b = (KNEE * KNEE - 2 * KNEE * BRIGHTEST + BRIGHTEST) / (BRIGHTEST - 1);
  return (((b * b + 2 * b * KNEE + KNEE * KNEE) / (b - a)) * (light + a)) / (light + b);
}

function matrixToSrgb(primaries: number): Matrix {
  const [from, to] = [columnsOf(PRIMARIES[primaries] ?? BT709), columnsOf(BT709)];
  const inverse = to && invert(transpose(to));
  if (from === null || inverse === null) throw new Error('The primaries span no space.');
  return transpose(from.map((column) => apply(inverse, column)) as unknown as Matrix);
}

const STEPS = 1 << 14;
const SAMPLES = Uint8Array.from({ length: STEPS + 1 }, (_, step) => {
  const light = step / STEPS;
  return Math.round(255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055));
});

const sampleOf = (light: number): number => SAMPLES[Math.min(STEPS, (light * STEPS + 0.5) | 0)] ?? 255;
