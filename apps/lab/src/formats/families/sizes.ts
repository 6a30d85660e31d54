import type { Size } from '../parts/quarters.ts';

/**
 * Sizes of images. The sides of the first, ordinary size are multiples of every codec's block size. Most other sizes
 * end inside a block.
 */
export const SIZES = {
  '96×64': { width: 96, height: 64 },
  '64×96': { width: 64, height: 96 },
  '1×1': { width: 1, height: 1 },
  '17×13': { width: 17, height: 13 },
  '8×120': { width: 8, height: 120 },
  '333×251': { width: 333, height: 251 },
} as const satisfies Record<string, Size>;

export type SizeName = keyof typeof SIZES;
export const SIZE_NAMES = Object.keys(SIZES) as [SizeName, ...SizeName[]];

export const ORIENTATIONS = ['none', '1', '2', '3', '4', '5', '6', '7', '8', '0', '9'] as const;
