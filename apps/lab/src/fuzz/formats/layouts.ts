import { extname } from 'node:path';
import { seedBytes } from '../bytes/bytes.ts';
import { gifLayout, jpegLayout, pngLayout, webpLayout } from './images.ts';
import type { Layout } from './layout.ts';
import { movieLayout } from './movie.ts';

const READERS: Readonly<Record<string, (bytes: Uint8Array) => Layout>> = {
  '.jpg': jpegLayout,
  '.png': pngLayout,
  '.gif': gifLayout,
  '.webp': webpLayout,
  '.mp4': movieLayout,
  '.m4a': movieLayout,
  '.mov': movieLayout,
  '.heic': movieLayout,
  '.avif': movieLayout,
};

const kept = new Map<string, Layout>();

/**
 * Returns the layout of a seed.
 *
 * @throws Error for an unknown type
 */
export function layoutOf(seed: string): Layout {
  const reader = READERS[extname(seed)];
  if (reader === undefined) throw new Error(`No layout is known for ${seed}.`);
  const layout = kept.get(seed) ?? reader(seedBytes(seed));
  kept.set(seed, layout);
  return layout;
}
