import { type FileReader, textAt, UnreadableFile } from './file-reader.ts';

/** Facts about a movie that mediabunny doesn't provide. */
export interface MovieBoxes {
  /** Whether the movie box comes before the media data. */
  readonly moovFirst: boolean;
  /** Whether an edit list skips, delays, repeats or retimes anything. */
  readonly editList: boolean;
  /** Duration in milliseconds according to the movie header; null if it isn't set there. */
  readonly durationMs: number | null;
  readonly isFragmented: boolean;
}

/** Most bytes of the movie box; the tables of a three-hour film have a few megabytes. */
const MAX_MOVIE = 64 * 1024 * 1024;
const MAX_BOXES = 10_000;

/**
 * Reads the file's top-level boxes up to the movie box (ISO/IEC 14496-12, section 4.2).
 *
 * @throws UnreadableFile if there is no movie box, or it is too large
 */
export async function readMovieBoxes(file: FileReader): Promise<MovieBoxes> {
  let media: number | null = null;
  for (let at = 0, box = 0; box < MAX_BOXES && at + 8 <= file.size; box++) {
    const head = await file.read(at, Math.min(16, file.size - at));
    const size = sizeOf(head, file.size - at);
    const type = textAt(head, 4, 4);
    if (type === 'mdat') media ??= at;
    if (type === 'moov') {
      if (size > MAX_MOVIE) break;
      return { ...readMovie(await file.read(at, size)), moovFirst: media === null };
    }
    if (size < 8) break;
    at += size;
  }
  throw new UnreadableFile('The file has no movie box.');
}

/**
 * The size of a box. In the header, 1 means that a 64-bit size follows the type, 0 that the box extends to the end of
 * the file.
 *
 * @param rest bytes from the box's start to the end
 */
function sizeOf(head: DataView, rest: number): number {
  const size = head.getUint32(0);
  if (size === 1) return head.byteLength < 16 ? 0 : Number(head.getBigUint64(8));
  return size === 0 ? rest : size;
}

const PARENTS = new Set(['moov', 'trak', 'edts']);

/** All boxes that aren't containers, with their content; descends into the containers that matter here. */
function* boxesIn(view: DataView, start: number): Generator<readonly [type: string, content: DataView]> {
  for (let at = start; at + 8 <= view.byteLength; ) {
    const size = sizeOf(new DataView(view.buffer, view.byteOffset + at, Math.min(16, view.byteLength - at)), 0);
    if (size < 8 || at + size > view.byteLength) return;
    const type = textAt(view, at + 4, 4);
    const content = new DataView(view.buffer, view.byteOffset + at + 8, size - 8);
    if (PARENTS.has(type)) yield* boxesIn(content, 0);
    else yield [type, content];
    at += size;
  }
}

function readMovie(movie: DataView): Omit<MovieBoxes, 'moovFirst'> {
  let durationMs: number | null = null;
  let editList = false;
  let isFragmented = false;
  for (const [type, content] of boxesIn(movie, 8)) {
    if (type === 'mvhd') durationMs = movieDuration(content);
    if (type === 'elst') editList ||= hasEdits(content);
    if (type === 'mvex') isFragmented = true;
  }
  return { durationMs, editList, isFragmented };
}

/** In whole milliseconds; null if the header leaves it undefined, by all bits set or 0 (section 8.2.2). */
function movieDuration(content: DataView): number | null {
  const isLong = content.byteLength >= 32 && content.getUint8(0) === 1;
  if (!isLong && content.byteLength < 20) return null;
  const timescale = content.getUint32(isLong ? 20 : 12);
  const units = isLong ? Number(content.getBigUint64(24)) : content.getUint32(16);
  const isOpen = units === 0 || timescale === 0 || units >= (isLong ? 2 ** 63 : 0xffffffff);
  return isOpen ? null : Math.round((units / timescale) * 1000);
}

/** Whether an edit list changes anything: a single edit from the start at normal speed doesn't (section 8.6.6). */
function hasEdits(content: DataView): boolean {
  if (content.byteLength < 20) return false;
  const isLong = content.getUint8(0) === 1;
  const entries = content.getUint32(4);
  if (entries === 0) return false;
  if (entries > 1 || (isLong && content.byteLength < 28)) return true;
  const begins = isLong ? content.getBigInt64(16) !== 0n : content.getInt32(12) !== 0;
  const rate = content.getInt32(isLong ? 24 : 16);
  return begins || rate !== 0x10000;
}
