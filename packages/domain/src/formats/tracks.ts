import { type BoxNode, contentAt, nodeAt, type ParentBox } from './box-node.ts';
import { type Box, contentView, uint64 } from './boxes.ts';
import { fourCc } from './forward-reader.ts';

export const tracksOf = (movie: ParentBox): readonly ParentBox[] =>
  movie.children.filter((child): child is ParentBox => child.type === 'trak' && 'children' in child);

/** `vide`, `soun` or another handler. */
export function handlerOf(track: ParentBox): string | null {
  const handler = contentAt(track, 'mdia', 'hdlr');
  return handler === undefined || handler.length < 12 ? null : fourCc(contentView(handler), 8);
}

export const isEnabled = (track: ParentBox): boolean => ((contentAt(track, 'tkhd')?.[3] ?? 0) & 1) === 1;

export function trackIdOf(track: ParentBox): number {
  const view = contentView(contentAt(track, 'tkhd') ?? new Uint8Array(), 24);
  return view.getUint32(view.getUint8(0) === 1 ? 20 : 12);
}

/** null if there is none of this type. */
export function tableOf(track: ParentBox, type: string): Box | null {
  const node = nodeAt(track, 'mdia', 'minf', 'stbl', type);
  return node && 'table' in node ? node.table : null;
}

interface Span {
  /** null if the header leaves it open: all bits set (ISO/IEC 14496-12, section 8.2.2). */
  readonly duration: number | null;
  readonly timescale: number;
}

/** `mvhd` and `mdhd` have it at the same offset; null without the box. */
function spanOf(content: Uint8Array | undefined): Span {
  if (content === undefined) return { duration: null, timescale: 0 };
  const view = contentView(content, 20);
  if (view.getUint8(0) !== 1) return spanFrom(view.getUint32(16), 0xffffffff, view.getUint32(12));
  contentView(content, 32);
  return spanFrom(uint64(view, 24), 2 ** 64, view.getUint32(20));
}

const spanFrom = (duration: number, open: number, timescale: number): Span => ({
  duration: duration === open ? null : duration,
  timescale,
});

const secondsOf = ({ duration, timescale }: Span): number => (timescale > 0 ? (duration ?? 0) / timescale : 0);

/** Seconds by the header of a track's media, or else of the movie; 0 if both leave it open. */
export const announcedSeconds = (movie: BoxNode, track: BoxNode): number =>
  secondsOf(spanOf(contentAt(track, 'mdia', 'mdhd'))) || secondsOf(spanOf(contentAt(movie, 'mvhd')));

/** Units a second in which edits give durations; 0 if the header doesn't say. */
export const movieTimescaleOf = (movie: BoxNode): number => spanOf(contentAt(movie, 'mvhd')).timescale;

export const timescaleOf = (track: BoxNode): number => spanOf(contentAt(track, 'mdia', 'mdhd')).timescale;

/** Whether an edit list does anything but show all of its track (section 8.6.6). */
export function hasEdits(movie: ParentBox): boolean {
  const timescale = movieTimescaleOf(movie);
  return tracksOf(movie).some((track) => {
    const list = contentAt(track, 'edts', 'elst');
    return list !== undefined && !showsAll(list, secondsOf(spanOf(contentAt(track, 'mdia', 'mdhd'))), timescale);
  });
}

/** @param timescale that of the movie, in which the list gives durations */
function showsAll(list: Uint8Array, seconds: number, timescale: number): boolean {
  const view = contentView(list, 8);
  if (view.getUint32(4) === 0) return true;
  const isLong = view.getUint8(0) === 1;
  if (view.getUint32(4) > 1 || list.length < (isLong ? 28 : 20)) return false;
  const [shown, from] = isLong ? [uint64(view, 8), uint64(view, 16)] : [view.getUint32(8), view.getUint32(12)];
  const rate = view.getUint32(isLong ? 24 : 16);
  // 0 stands for all of a fragmented movie; others are rounded to the movie's time units.
  const toTheEnd = shown === 0 || (timescale > 0 && (shown + 1) / timescale >= seconds);
  return from === 0 && rate === NORMAL_RATE && toTheEnd;
}

/** 1 as a 16.16 fixed-point number. */
const NORMAL_RATE = 0x10000;
