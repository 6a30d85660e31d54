import { contentAt, type ParentBox } from './box-node.ts';
import { BOX_HEADER, type Box, contentView } from './boxes.ts';
import { fourCc } from './forward-reader.ts';

/** Length of the version, the flags and the number of entries, which isn't trusted. */
const LIST_HEADER = 8;

/** Length of a video's description before its boxes, header included (ISO/IEC 14496-12, section 12.1.3). */
const VIDEO_EXTENSIONS = 86;

/** Returns the list `stsd`, which describes a track's samples (section 8.5.2); null if there is none. */
export function descriptionsOf(track: ParentBox): DataView | null {
  const content = contentAt(track, 'mdia', 'minf', 'stbl', 'stsd');
  return content === undefined ? null : contentView(content);
}

/** Iterates the entries of a list such as `stsd` or `dref`, with their offsets in it. */
export const entriesOf = (list: DataView): Generator<Box> => boxesIn(list, LIST_HEADER, list.byteLength);

/**
 * Iterates the boxes in a video's description, such as its codec's configuration and its colours, with their offsets in
 * the list.
 */
export const extensionsOf = (list: DataView, { from, end }: Box): Generator<Box> =>
  boxesIn(list, from + VIDEO_EXTENSIONS, end);

/** Iterates boxes up to the first that is smaller than its header or extends beyond the end. */
function* boxesIn(view: DataView, start: number, end: number): Generator<Box> {
  for (let from = start; from + BOX_HEADER <= end; ) {
    const size = view.getUint32(from);
    if (size < BOX_HEADER || from + size > end) return;
    yield { type: fourCc(view, from + 4), from, start: from + BOX_HEADER, end: from + size };
    from += size;
  }
}
