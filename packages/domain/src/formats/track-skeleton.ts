import { type BoxNode, type ParentBox, serialiseBoxes } from './box-node.ts';
import { type Plan, pick } from './box-tree.ts';
import { entriesOf, extensionsOf } from './descriptions.ts';
import { viewOf } from './forward-reader.ts';

/** The boxes that are kept: no tables and no edit lists. */
const SHOWN: Plan = {
  tkhd: 'content',
  mdia: { mdhd: 'content', hdlr: 'content', minf: { stbl: { stsd: 'content' } } },
};

/**
 * Returns a file that contains only the headers of one track, and no times. This file is given to a library that would
 * trust the other boxes of a hostile file too much.
 */
export function trackSkeleton(movie: ParentBox, track: ParentBox, type: 'video/mp4' | 'video/quicktime'): Uint8Array {
  const brand = type === 'video/quicktime' ? 'qt  ' : 'isom';
  const content = new TextEncoder().encode(`${brand}\0\0\0\0${brand}`);
  const children = movie.children.flatMap((child): readonly BoxNode[] =>
    child.type !== 'trak' ? [child] : child === track ? [withoutColours(pick(track, SHOWN))] : [],
  );
  return serialiseBoxes([
    { type: 'ftyp', content },
    { type: movie.type, children },
  ]);
}

/**
 * Blanks the colours in descriptions (`colr`). They have more forms than mediabunny knows, and QuickTime's form has no
 * byte for the range. The boxes become `free` boxes, so that no length changes.
 */
function withoutColours(node: ParentBox): ParentBox {
  const children = node.children.map((child) => {
    if ('children' in child) return withoutColours(child);
    return child.type === 'stsd' && 'content' in child ? { type: child.type, content: blank(child.content) } : child;
  });
  return { type: node.type, children };
}

const FREE = 0x66726565;

function blank(descriptions: Uint8Array): Uint8Array {
  // `slice` of a Buffer wouldn't copy, and the movie itself would lose its colours.
  const copy = Uint8Array.from(descriptions);
  const list = viewOf(copy);
  for (const description of entriesOf(list))
    for (const { type, from } of extensionsOf(list, description)) if (type === 'colr') list.setUint32(from + 4, FREE);
  return copy;
}
