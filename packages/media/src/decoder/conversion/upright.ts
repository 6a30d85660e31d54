import type { HeifTransform } from '@postshelf/domain/formats';
import { cropped, type Raster } from './raster.ts';

type Corner = readonly [x: number, y: number];

/** Returns where a corner of the image moves to. */
type Turn = (...corner: Corner) => Corner;

/**
 * EXIF's orientations (EXIF 3.0, section 4.6.5.1.6), by the corners at which the first and the last pixel of the first
 * row are displayed.
 */
const ORIENTATIONS: Readonly<Record<string, number>> = {
  '0,0 1,0': 1,
  '1,0 0,0': 2,
  '1,1 0,1': 3,
  '0,1 1,1': 4,
  '0,0 0,1': 5,
  '1,0 1,1': 6,
  '1,1 1,0': 7,
  '0,1 0,0': 8,
};

/** Returns EXIF's orientation for the transforms of a HEIF file. */
export function orientationFor(transforms: readonly HeifTransform[]): number {
  const place = (...corner: Corner): Corner => {
    let at = corner;
    for (const transform of transforms) at = turnOf(transform)(...at);
    return at;
  };
  return ORIENTATIONS[`${place(0, 0)} ${place(1, 0)}`] ?? 1;
}

function turnOf(transform: HeifTransform): Turn {
  if (transform.kind === 'crop') return (x, y) => [x, y];
  if (transform.kind === 'mirror') return transform.axis === 'vertical' ? (x, y) => [x, 1 - y] : (x, y) => [1 - x, y];
  // Rotates to the left: the right edge becomes the top edge.
  return (x, y) => {
    let at: Corner = [x, y];
    for (let turn = 0; turn < transform.turns; turn += 1) at = [at[1], 1 - at[0]];
    return at;
  };
}

type Crop = Extract<HeifTransform, { readonly kind: 'crop' }>;

export const cropOf = (transforms: readonly HeifTransform[]): Crop | null =>
  transforms.find((transform): transform is Crop => transform.kind === 'crop') ?? null;

/** Returns the cropped part of an image that hasn't been rotated yet. */
export function croppedBy(raster: Raster, crop: Crop | null): Raster {
  if (crop === null) return raster;
  const [left, top] = [crop.x + (raster.width - crop.width) / 2, crop.y + (raster.height - crop.height) / 2];
  return cropped(raster, left, top, crop.width, crop.height);
}
