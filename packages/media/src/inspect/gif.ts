import {
  colorTableLength,
  Damaged,
  type ForwardReader,
  GIF_HEADER,
  gifBlocks,
  gifCanvas,
  gifScreen,
  Unreadable,
} from '@postshelf/domain/formats';
import type { WalkedImage } from './dimensions.ts';

const SIGNATURES = new Set(['GIF87a', 'GIF89a']);

const GRAPHIC_CONTROL = 0xf9;
const HAS_TRANSPARENT_COLOR = 0x01;

/** Maximum number of blocks, enough for a day at 10 frames per second. */
const MAX_BLOCKS = 2_000_000;

/**
 * Walks a GIF up to its trailer. Without a trailer, the GIF ends with the file, or at bytes that start no block, as it
 * does for decoders. Requires a valid block after the header (GIF89a, sections 17 and 18): otherwise any bytes after the
 * signature would count as a GIF.
 */
export async function walkGif(reader: ForwardReader): Promise<WalkedImage> {
  const hasHeader = (await reader.reaches(GIF_HEADER)) && SIGNATURES.has(reader.type() + reader.type(2).slice(2));
  if (!hasHeader) throw new Unreadable('The GIF has no header.');
  const screen = gifScreen(reader);
  reader.skip(GIF_HEADER + colorTableLength(reader.byte(10)));
  let canvas = screen;
  let [blocks, frames, hasAlpha] = [0, 0, false];
  const found = (hasEnd: boolean): WalkedImage => ({
    ...canvas,
    orientation: 1,
    hasEnd,
    details: { frames, hasAlpha },
  });
  for (const block of gifBlocks(reader)) {
    if (typeof block === 'number') {
      if (await reader.reaches(block)) continue;
      if (frames > 0) return found(false);
      throw new Damaged('The GIF ends before its first frame.');
    }
    if (block.kind === 'trailer' && frames > 0) return found(true);
    if (block.kind === 'image') {
      if (frames === 0) canvas = gifCanvas(screen, block.frame);
      frames += 1;
    } else if (block.kind === 'extension')
      hasAlpha ||= block.label === GRAPHIC_CONTROL && (block.first & HAS_TRANSPARENT_COLOR) !== 0;
    else if (frames > 0) return found(false);
    else
      throw blocks === 0
        ? new Unreadable('The GIF has no image.')
        : new Damaged('There are unknown bytes between the blocks.');
    blocks += 1;
    if (blocks > MAX_BLOCKS) break;
  }
  throw new Unreadable('The GIF has too many blocks.');
}
