import { type BoxNode, contentAt, nodeAt, type ParentBox } from './box-node.ts';
import { type Box, contentView, uint64 } from './boxes.ts';
import { Unreadable } from './errors.ts';
import { fourCc } from './forward-reader.ts';

/** The tracks of a movie, in its order. */
export const tracksOf = (movie: ParentBox): readonly ParentBox[] =>
  movie.children.filter((child): child is ParentBox => child.type === 'trak' && 'children' in child);

/** The first enabled video track: QuickTime has chapter pictures in others. Throws `Unreadable`. */
export function mainTrackOf(movie: ParentBox): ParentBox {
  const tracks = tracksOf(movie).filter((track) => handlerOf(track) === 'vide');
  const main = tracks.find(isSwitchedOn) ?? tracks[0];
  if (main === undefined) throw new Unreadable('The file has no video track.');
  return main;
}

/** The kind of a track: `vide`, `soun` or another handler. */
export function handlerOf(track: ParentBox): string | null {
  const handler = contentAt(track, 'mdia', 'hdlr');
  return handler === undefined || handler.length < 12 ? null : fourCc(contentView(handler), 8);
}

const isSwitchedOn = (track: ParentBox): boolean => ((contentAt(track, 'tkhd')?.[3] ?? 0) & 1) === 1;

export function trackIdOf(track: ParentBox): number {
  const view = contentView(contentAt(track, 'tkhd') ?? new Uint8Array(), 24);
  return view.getUint32(view.getUint8(0) === 1 ? 20 : 12);
}

/** The place of a table of a track's samples; null if it has none of this type. */
export function tableOf(track: ParentBox, type: string): Box | null {
  const node = nodeAt(track, 'mdia', 'minf', 'stbl', type);
  return node && 'table' in node ? node.table : null;
}

/** A duration, and how many of its units make a second. */
interface Span {
  /** null if the header leaves it open: all bits set (ISO/IEC 14496-12, section 8.2.2). */
  readonly duration: number | null;
  readonly timescale: number;
}

/** The duration in `mvhd` or `mdhd`, which have it at the same offset; null without the box. */
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

/** Seconds according to the movie header; 0 if it leaves them open. */
export const movieSeconds = (movie: BoxNode): number => secondsOf(spanOf(contentAt(movie, 'mvhd')));

/** Time units per second of a track. */
export const timescaleOf = (track: BoxNode): number => spanOf(contentAt(track, 'mdia', 'mdhd')).timescale;

/** Whether the edit list of any track does anything but show all of it from its beginning (section 8.6.6). */
export function hasEdits(movie: ParentBox): boolean {
  const { timescale } = spanOf(contentAt(movie, 'mvhd'));
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
  // A duration of 0 stands for all of a fragmented movie; others are rounded to the movie's time units.
  const toTheEnd = shown === 0 || (timescale > 0 && (shown + 1) / timescale >= seconds);
  return from === 0 && rate === NORMAL_RATE && toTheEnd;
}

/** 1 as a 16.16 fixed-point number. */
const NORMAL_RATE = 0x10000;
