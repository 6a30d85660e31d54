import { Random } from '@postshelf/harness';
import { bitmap } from '../support/bodies.ts';
import { IMAGE } from './order.ts';

/**
 * The width in pixels of the smallest detail of a photo's content. A preview doesn't show details of this size. The
 * grain is finer still.
 */
const SCENE = 4;

/** Mean brightness, 0 to 255. */
const MEAN = 128;

export interface Photo {
  readonly width: number;
  readonly height: number;
  readonly jpeg: Uint8Array;
}

/**
 * Makes a synthetic photo; the same number yields the same photo on every run. As in real photos, amplitudes decrease
 * with increasing frequency, colours vary less than brightness, and there is sensor noise. Half of the photos are in
 * portrait format.
 */
export async function makePhoto(number: number): Promise<Photo> {
  const random = new Random(number);
  const [width, height] = number % 2 === 0 ? [IMAGE.width, IMAGE.height] : [IMAGE.height, IMAGE.width];
  const scene = { width: width / SCENE, height: height / SCENE };
  // The lower the value, the more of the photo is fine detail like leaves and gravel; the higher, the more is smooth
  // like sky.
  const smoothness = random.between(0.05, 0.6);
  const contrast = random.between(35, 60);
  const light = makeField(scene, random, smoothness);
  const [warm, green] = [makeField(scene, random, smoothness + 0.2), makeField(scene, random, smoothness + 0.2)];
  const grain = Int8Array.from({ length: 4096 }, () => Math.round(random.normal() * 8));
  const rgb = new Uint8ClampedArray(width * height * 3);
  let at = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from = Math.floor(y / SCENE) * scene.width + Math.floor(x / SCENE);
      const bright = MEAN + contrast * (light[from] ?? 0);
      const [a, b] = [15 * (warm[from] ?? 0), 10 * (green[from] ?? 0)];
      for (const colour of [bright + a, bright + b, bright - a]) rgb[at++] = colour + (grain[random.below(4096)] ?? 0);
    }
  }
  return { width, height, jpeg: await new Bun.Image(bitmap(width, height, rgb)).jpeg({ quality: 90 }).bytes() };
}

/** Makes noise with mean 0 and deviation 1, by adding up layers of smoothed squares of 1, 2, 4, … pixels. */
function makeField({ width, height }: Omit<Photo, 'jpeg'>, random: Random, smoothness: number): Float32Array {
  const field = new Float32Array(width * height);
  for (let cell = 1; cell < width; cell *= 2) {
    const across = Math.ceil(width / cell) + 1;
    const points = Float32Array.from({ length: across * (Math.ceil(height / cell) + 1) }, () => random.between(-1, 1));
    const weight = cell ** smoothness;
    for (let y = 0, at = 0; y < height; y++) {
      const [row, down] = [Math.floor(y / cell) * across, (y % cell) / cell];
      for (let x = 0; x < width; x++, at++) {
        const [point, right] = [row + Math.floor(x / cell), (x % cell) / cell];
        const above = mix(points[point] ?? 0, points[point + 1] ?? 0, right);
        const below = mix(points[point + across] ?? 0, points[point + across + 1] ?? 0, right);
        field[at] = (field[at] ?? 0) + weight * mix(above, below, down);
      }
    }
  }
  const mean = field.reduce((sum, value) => sum + value, 0) / field.length;
  const deviation = Math.sqrt(field.reduce((sum, value) => sum + (value - mean) ** 2, 0) / field.length);
  return field.map((value) => (value - mean) / deviation);
}

const mix = (from: number, to: number, part: number): number => from + (to - from) * part;
