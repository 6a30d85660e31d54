import { type BoxNode, contentAt, nodeAt, type ParentBox } from './box-node.ts';
import { type Box, contentView, uint64 } from './boxes.ts';
import { fourCc } from './forward-reader.ts';

export const tracksOf = (movie: ParentBox): readonly ParentBox[] =>
  movie.children.filter((child): child is ParentBox => child.type === 'trak' && 'children' in child);

/** Returns `vide`, `soun` or another handler. */
export function handlerOf(track: ParentBox): string | null {
  const handler = contentAt(track, 'mdia', 'hdlr');
  return handler === undefined || handler.length < 12 ? null : fourCc(contentView(handler), 8);
}

export const isEnabled = (track: ParentBox): boolean => ((contentAt(track, 'tkhd')?.[3] ?? 0) & 1) === 1;

export function trackIdOf(track: ParentBox): number {
  const view = contentView(contentAt(track, 'tkhd') ?? new Uint8Array(), 24);
  return view.getUint32(view.getUint8(0) === 1 ? 20 : 12);
}

/** Returns the table of this type; null if there is none. */
export function tableOf(track: ParentBox, type: string): Box | null {
  const node = nodeAt(track, 'mdia', 'minf', 'stbl', type);
  return node && 'table' in node ? node.table : null;
}

/** Whether the movie's samples may be in fragments (ISO/IEC 14496-12, section 8.8.1). */
export const isFragmented = (movie: ParentBox): boolean => movie.children.some(({ type }) => type === 'mvex');

/** Returns the time units per second of `mvhd` or `mdhd`, which have them at the same offset; 0 if there is no box. */
function timescaleIn(content: Uint8Array | undefined): number {
  if (content === undefined) return 0;
  const view = contentView(content, 20);
  return view.getUint8(0) === 1 ? contentView(content, 32).getUint32(20) : view.getUint32(12);
}

/**
 * Returns the duration in seconds; 0 if there is no box, or if all bits of the duration are set, which means that it
 * isn't known (section 8.2.2).
 */
function secondsIn(content: Uint8Array | undefined): number {
  const timescale = timescaleIn(content);
  if (content === undefined || timescale === 0) return 0;
  const view = contentView(content);
  const [duration, open] = view.getUint8(0) === 1 ? [uint64(view, 24), 2 ** 64] : [view.getUint32(16), 0xffffffff];
  return duration === open ? 0 : duration / timescale;
}

/**
 * Returns the duration in seconds from the header of a track's media, otherwise from the movie's header; 0 if neither
 * contains it.
 */
export const announcedSeconds = (movie: BoxNode, track: BoxNode): number =>
  secondsIn(contentAt(track, 'mdia', 'mdhd')) || secondsIn(contentAt(movie, 'mvhd'));

/** Returns the movie's time units per second, in which edits state their durations; 0 if there is no movie header. */
export const movieTimescaleOf = (movie: BoxNode): number => timescaleIn(contentAt(movie, 'mvhd'));

export const timescaleOf = (track: BoxNode): number => timescaleIn(contentAt(track, 'mdia', 'mdhd'));

/** Whether an edit list does anything other than show its whole track (section 8.6.6). */
export function hasEdits(movie: ParentBox): boolean {
  const timescale = movieTimescaleOf(movie);
  return tracksOf(movie).some((track) => {
    const list = contentAt(track, 'edts', 'elst');
    return list !== undefined && !showsAll(list, secondsIn(contentAt(track, 'mdia', 'mdhd')), timescale);
  });
}

/** @param timescale the movie's time units per second; the list states durations in these units */
function showsAll(list: Uint8Array, seconds: number, timescale: number): boolean {
  const view = contentView(list, 8);
  if (view.getUint32(4) === 0) return true;
  const isLong = view.getUint8(0) === 1;
  if (view.getUint32(4) > 1 || list.length < (isLong ? 28 : 20)) return false;
  const [shown, from] = isLong ? [uint64(view, 8), uint64(view, 16)] : [view.getUint32(8), view.getUint32(12)];
  const rate = view.getUint32(isLong ? 24 : 16);
  // 0 means all of a fragmented movie; other durations are rounded to the movie's time units.
  const toTheEnd = shown === 0 || (timescale > 0 && (shown + 1) / timescale >= seconds);
  return from === 0 && rate === NORMAL_RATE && toTheEnd;
}

/** 1 as a 16.16 fixed-point number. */
const NORMAL_RATE = 0x10000;
