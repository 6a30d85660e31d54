import { type BoxNode, type ParentBox, serialiseBoxes } from './box-node.ts';
import { type Plan, pick } from './box-tree.ts';
import { viewOf } from './forward-reader.ts';

/** No tables and no edit lists. */
const SHOWN: Plan = {
  tkhd: 'content',
  mdia: { mdhd: 'content', hdlr: 'content', minf: { stbl: { stsd: 'content' } } },
};

/**
 * A file with nothing but the headers of one track, for a library that would trust the rest of a hostile file too much.
 * It says nothing about times.
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
 * There are more forms of colours in descriptions (`colr`) than mediabunny knows: QuickTime's have no byte for the range.
 * The boxes become empty ones, so that no length changes.
 */
function withoutColours(node: ParentBox): ParentBox {
  const children = node.children.map((child) => {
    if ('children' in child) return withoutColours(child);
    return child.type === 'stsd' && 'content' in child ? { type: child.type, content: blank(child.content) } : child;
  });
  return { type: node.type, children };
}

/** Version, flags and the number of entries; and an entry before its boxes (ISO/IEC 14496-12, section 12.1.3). */
const [LIST_HEADER, VIDEO_EXTENSIONS] = [8, 86];
const [COLR, FREE] = [0x636f6c72, 0x66726565];

function blank(descriptions: Uint8Array): Uint8Array {
  const copy = descriptions.slice();
  const view = viewOf(copy);
  for (const entry of boxesIn(view, LIST_HEADER, view.byteLength))
    for (const { start } of boxesIn(view, entry.start + VIDEO_EXTENSIONS, entry.end))
      if (view.getUint32(start + 4) === COLR) view.setUint32(start + 4, FREE);
  return copy;
}

function* boxesIn(
  view: DataView,
  from: number,
  end: number,
): Generator<{ readonly start: number; readonly end: number }> {
  for (let start = from; start + 8 <= end; ) {
    const size = view.getUint32(start);
    if (size < 8 || start + size > end) return;
    yield { start, end: start + size };
    start += size;
  }
}
