import { MAX_PREVIEW_HEIGHT, type PreviewSize } from '@postshelf/domain';
import type { PreviewsOrder } from '../child/protocol.ts';
import { openImage, setUpright, shrink, uprightSize } from './image.ts';
import { divided, isTransparent, multiplied } from './transparency.ts';

/**
 * WebP qualities to try in turn. On a page of tiles, the loss at the first quality is invisible. The lower qualities
 * are for tiles that would be too large.
 */
const QUALITIES = [70, 55, 40, 25, 10, 1] as const;

/**
 * Limits for a tile. Sixty tiles on a page have at most 1.5 MB, even if they show fine textures such as leaves or
 * gravel.
 */
const TILE = { maxWidth: 320, maxBytes: 25_000 } as const;

/**
 * Returns the placeholder, then a preview of each size. If an image's real size differs from its item's, the previews
 * have the requested widths, and heights that follow from the real size.
 *
 * @returns null for an image of another type
 */
export async function makeFiles(
  bytes: Uint8Array,
  order: Omit<PreviewsOrder, 'task'>,
): Promise<readonly Uint8Array[] | null> {
  const image = await openImage(bytes, order.type);
  if (image === null) return null;
  const { width, height } = uprightSize(image);
  const isAsKnown = width === order.width && height === order.height;
  const sizes = isAsKnown ? order.sizes : order.sizes.map((size) => sizeOf(size.width, width, height));
  const largest = sizes.reduce((a, b) => (b.width > a.width ? b : a));
  // The whole image is decoded only once, to the largest size. The other sizes are made from the result.
  const base = await shrink(image, largest);
  const seen = image.isOpaque || !(await isTransparent(base)) ? null : multiplied(base);
  const files: Uint8Array[] = [];
  for (const size of sizes) {
    const from = size === largest ? null : seen;
    const upright = setUpright(new Bun.Image(from ?? base), image.orientation).resize(size.width, size.height);
    const shown = from ? new Bun.Image(divided(await upright.png({ compressionLevel: 1 }).bytes())) : upright;
    files.push(await encode(shown, size.width));
  }
  const [smallest] = [...files].sort((a, b) => a.length - b.length);
  if (smallest === undefined) return null;
  const placeholder = await new Bun.Image(smallest).placeholder();
  return [new TextEncoder().encode(placeholder), ...files];
}

const sizeOf = (wanted: number, width: number, height: number): PreviewSize => ({
  width: wanted,
  height: Math.min(MAX_PREVIEW_HEIGHT, Math.max(1, Math.round((height * wanted) / width))),
});

async function encode(image: Bun.Image, width: number): Promise<Uint8Array> {
  let file: Uint8Array = new Uint8Array();
  for (const quality of QUALITIES) {
    file = await image.webp({ quality }).bytes();
    if (width > TILE.maxWidth || file.length <= TILE.maxBytes) break;
  }
  return file;
}
