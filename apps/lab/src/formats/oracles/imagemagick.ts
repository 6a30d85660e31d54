import { outputOf } from './run.ts';
import { kindOf, type Oracle, type View } from './view.ts';

const TYPES: Readonly<Record<string, string>> = {
  JPEG: 'image/jpeg',
  PNG: 'image/png',
  GIF: 'image/gif',
  WEBP: 'image/webp',
};

/** Names of orientations that exchange width and height. */
const TURNED = new Set(['LeftTop', 'RightTop', 'RightBottom', 'LeftBottom']);

/** Format, the size of the first frame and of its canvas, and the orientation. */
const FORMAT = '%m\t%w\t%h\t%W\t%H\t%[orientation]\n';

/**
 * Opens ImageMagick's `identify`, which decodes images, and judges their type and size; returns null if it isn't
 * installed.
 */
export function openImageMagick(): Oracle | null {
  const identify = Bun.which('identify');
  if (identify === null) return null;
  return {
    name: 'ImageMagick',
    async inspect(specimen): Promise<View | null> {
      const kind = await kindOf(specimen);
      if (kind === 'movie' || kind === 'heif' || kind === 'other') return null;
      // The prefix names the coder, because otherwise the extension of a user's file would choose it.
      const output = await outputOf([identify, '-format', FORMAT, `${kind}:${specimen.path}[0]`]);
      const [format = '', width = '', height = '', across = '', down = '', orientation = ''] =
        output?.toString('latin1').split('\n')[0]?.split('\t') ?? [];
      const type = TYPES[format];
      if (type === undefined) return { shows: false };
      // `across` and `down` are the size of the canvas, which is what viewers show of a GIF or a WebP. For a PNG they
      // are the size of a page on which the image is placed, which viewers ignore.
      const size = kind === 'gif' || kind === 'webp' ? [Number(across), Number(down)] : [Number(width), Number(height)];
      const [first = 0, second = 0] = TURNED.has(orientation) ? size.reverse() : size;
      return { shows: true, type, width: first, height: second };
    },
    close: async () => undefined,
  };
}
