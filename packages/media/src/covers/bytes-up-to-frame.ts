import type { ByteSource } from '@postshelf/domain';
import { BoundedReader, Damaged, Unreadable } from '../inspect/bounded-reader.ts';
import { contentAt, HEADER_LENGTH, type ParentBox, uint64, viewOf } from '../inspect/boxes.ts';
import { BoxTree, type Plan } from '../inspect/video/box-tree.ts';
import { placedSamples } from '../inspect/video/sample-tables.ts';
import { TableWindow } from '../inspect/video/table-window.ts';
import { handlerOf, tableOf, timescaleOf, tracksOf } from '../inspect/video/tracks.ts';

/** Limits for reading the beginning of a video, many times what honest ones need. */
const LIMITS = { budget: 8 * 1024 * 1024, window: 64 * 1024 };

/**
 * How many frames after the wanted one must be available, too: frames aren't stored in display order, decoders delay
 * some, and ffmpeg reads some ahead. If they were missing, ffmpeg would assume the end of the file and return what it
 * has so far.
 */
const FRAMES_BEHIND = 48;

/** Bytes at the beginning that ffmpeg reads to identify the tracks (`probesize`). */
const PROBED = 5_000_000;

const MOVIE: Plan = {
  trak: {
    edts: { elst: 'content' },
    mdia: {
      mdhd: 'content',
      hdlr: 'content',
      minf: { stbl: { stts: 'table', stsc: 'table', stsz: 'table', stz2: 'table', stco: 'table', co64: 'table' } },
    },
  },
  mvex: 'content',
};

/**
 * How many bytes from the beginning of a video contain the frame at `second` and all that is needed to decode it, so
 * that ffmpeg makes the same of them as of the whole video. null if that can't be told: the movie box isn't complete
 * within these bytes, the video is fragmented or shorter, or it is of an unusual kind.
 */
export async function bytesUpToFrame(beginning: ByteSource, second: number): Promise<number | null> {
  const reader = new BoundedReader(beginning, LIMITS);
  try {
    const movie = await movieAtTheFront(reader);
    if (movie === null || movie.children.some(({ type }) => type === 'mvex')) return null;
    const [track, ...others] = tracksOf(movie).filter((each) => handlerOf(each) === 'vide');
    // ffmpeg would choose among several video tracks, and might choose another.
    if (track === undefined || others.length > 0) return null;
    const from = shownFrom(track);
    if (from === null) return null;
    const before = await samplesUntil(reader, track, from + second * timescaleOf(track));
    if (before === null) return null;
    const most = before + FRAMES_BEHIND;
    const { samples, end } = await placedSamples(reader, track, { most, fileEnd: Number.POSITIVE_INFINITY });
    return samples < most ? null : Math.max(end, PROBED);
  } catch (error) {
    // A damaged video is refused when all of it has arrived.
    if (error instanceof Damaged || error instanceof Unreadable) return null;
    throw error;
  }
}

/** The movie box, if it is complete and comes before the media data. */
async function movieAtTheFront(reader: BoundedReader): Promise<ParentBox | null> {
  const tree = new BoxTree();
  for (let offset = 0; offset + HEADER_LENGTH <= reader.size; ) {
    const box = await tree.top(reader, offset);
    if (box === null || box.end > reader.size || box.type === 'mdat') return null;
    if (box.type === 'moov') return tree.keep(reader, box, MOVIE);
    offset = box.end;
  }
  return null;
}

/**
 * When the video begins, in the track's time units, by its edit list. Edits that show nothing only delay it. null if
 * the list does anything else.
 */
function shownFrom(track: ParentBox): number | null {
  const list = contentAt(track, 'edts', 'elst');
  if (list === undefined) return 0;
  const view = viewOf(list, 8);
  const [entry, time] = view.getUint8(0) === 1 ? [20, 8] : [12, 4];
  const entries = view.getUint32(4);
  if (entries === 0) return 0;
  if (entries > 2 || list.length < 8 + entries * entry) return null;
  const times = Array.from({ length: entries }, (_, index) => {
    const at = 8 + index * entry + time;
    return entry === 20 ? uint64(view, at) : view.getUint32(at);
  });
  const [from = 0, ...others] = times.filter((each) => each < NOTHING_SHOWN);
  return others.length > 0 ? null : from;
}

/** An empty edit has a media time with all bits set, of which there are 32 or more. */
const NOTHING_SHOWN = 0xffffffff;

/** How many samples begin before the time, in the track's time units; null if all do. */
async function samplesUntil(reader: BoundedReader, track: ParentBox, time: number): Promise<number | null> {
  const box = tableOf(track, 'stts');
  if (box === null) return null;
  const runs = await TableWindow.open(reader, box, { header: 8, entry: 64 });
  for (let [samples, now] = [0, 0]; runs.left > 0; ) {
    if (runs.isEmpty) await runs.fill();
    const at = runs.take();
    const [count, each] = [runs.view.getUint32(at), runs.view.getUint32(at + 4)];
    if (now + count * each >= time) return samples + Math.ceil((time - now) / Math.max(each, 1));
    samples += count;
    now += count * each;
  }
  return null;
}
