import { contentAt, type ParentBox } from './box-node.ts';
import { contentView } from './boxes.ts';
import { fourCc } from './forward-reader.ts';

/** By the numbers of ITU-T H.273. */
export interface DeclaredColours {
  readonly transfer: number;
  readonly matrix: number;
}

/** Version, flags and the number of entries; and an entry before its boxes (ISO/IEC 14496-12, section 12.1.3). */
const [LIST_HEADER, VIDEO_EXTENSIONS] = [8, 86];

/**
 * What the first description of a track says about its colours (`colr`, section 12.1.5; in QuickTime without the range).
 * null if it says nothing, or has a profile.
 */
export function declaredColours(track: ParentBox): DeclaredColours | null {
  const content = contentAt(track, 'mdia', 'minf', 'stbl', 'stsd');
  if (content === undefined || content.length < LIST_HEADER + VIDEO_EXTENSIONS) return null;
  const view = contentView(content);
  const end = Math.min(content.length, LIST_HEADER + view.getUint32(LIST_HEADER));
  for (let at = LIST_HEADER + VIDEO_EXTENSIONS; at + 8 <= end; ) {
    const size = view.getUint32(at);
    if (size < 8 || at + size > end) return null;
    if (size >= 18 && fourCc(view, at + 4) === 'colr' && ['nclx', 'nclc'].includes(fourCc(view, at + 8)))
      return { transfer: view.getUint16(at + 14), matrix: view.getUint16(at + 16) };
    at += size;
  }
  return null;
}

const [PQ, HLG] = [16, 18];

/** The curve by which a track is HDR, as far as its description tells. */
export function hdrOf(track: ParentBox): 'hlg' | 'pq' | null {
  const transfer = declaredColours(track)?.transfer;
  return transfer === HLG ? 'hlg' : transfer === PQ ? 'pq' : null;
}
