import type { BoundedReader } from './bounded-reader.ts';
import { contentAt, type ParentBox } from './box-node.ts';
import { contentView, uint64 } from './boxes.ts';
import { TableWindow } from './table-window.ts';
import {
  announcedSeconds,
  handlerOf,
  isEnabled,
  isFragmented,
  movieTimescaleOf,
  tableOf,
  timescaleOf,
  tracksOf,
} from './tracks.ts';

/** The time span in which samples of a track are shown, in the track's time units and before its edits are applied. */
export class Span {
  start = Number.POSITIVE_INFINITY;
  end = Number.NEGATIVE_INFINITY;

  /** Adds consecutive samples of one duration. */
  add(start: number, samples: number, each: number): void {
    if (samples === 0) return;
    this.start = Math.min(this.start, start);
    this.end = Math.max(this.end, start + samples * each);
  }

  get isEmpty(): boolean {
    return !(this.end > this.start);
  }
}

/** Adds up the samples of a track in decoding order. */
export class TrackClock {
  readonly span = new Span();
  /** When the next sample is decoded. */
  next = 0;

  /** @param offset time from decoding to display */
  add(samples: number, each: number, offset: number): void {
    this.span.add(this.next + offset, samples, each);
    this.next += samples * each;
  }
}

/**
 * Reads the tables of times, `stts` and `ctts` (ISO/IEC 14496-12, section 8.6.1), in parallel. An entry may claim
 * billions of samples, but takes no more work than an entry for one sample.
 *
 * @param samples the number of samples that the track has: the table may claim more
 * @param onRun is called for each entry of `stts`
 * @throws Damaged, Unreadable
 */
export async function readTrackClock(
  reader: BoundedReader,
  track: ParentBox,
  samples: number,
  onRun: (samples: number, each: number) => void = () => undefined,
): Promise<TrackClock> {
  const clock = new TrackClock();
  const durations = tableOf(track, 'stts');
  if (durations === null) return clock;
  const runs = await TableWindow.open(reader, durations, { header: 8, entry: 64 });
  const shifts = tableOf(track, 'ctts');
  const offsets = shifts && (await TableWindow.open(reader, shifts, { header: 8, entry: 64 }));
  // Number of samples whose duration hasn't been read yet.
  let missing = samples;
  // The offset of the next samples, and how many of them have it; none once the table of offsets has ended.
  let offset = 0;
  let withOffset = 0;
  while (runs.left > 0 && missing > 0) {
    if (runs.isEmpty) await runs.fill();
    const at = runs.take();
    const [run, each] = [Math.min(runs.view.getUint32(at), missing), runs.view.getUint32(at + 4)];
    missing -= run;
    onRun(run, each);
    for (let left = run; left > 0; ) {
      while (withOffset === 0 && offsets !== null && offsets.left > 0) {
        if (offsets.isEmpty) await offsets.fill();
        const entry = offsets.take();
        withOffset = offsets.view.getUint32(entry);
        // Writers use negative numbers in version 0 as well, and readers accept them.
        offset = offsets.view.getInt32(entry + 4);
      }
      if (withOffset === 0) {
        clock.add(left, each, 0);
        break;
      }
      const added = Math.min(left, withOffset);
      clock.add(added, each, offset);
      left -= added;
      withOffset -= added;
    }
  }
  return clock;
}

interface Edit {
  /** The duration in the movie's time units. */
  readonly duration: number;
  /** The start in the track's time units; null if nothing is shown. */
  readonly from: number | null;
}

/** Returns the entries of an edit list (section 8.6.6). */
function editsOf(track: ParentBox): readonly Edit[] {
  const content = contentAt(track, 'edts', 'elst');
  if (content === undefined || content.length < 8) return [];
  const view = contentView(content);
  const isLong = view.getUint8(0) === 1;
  const length = isLong ? 20 : 12;
  const count = Math.min(view.getUint32(4), Math.floor((content.length - 8) / length));
  return Array.from({ length: count }, (_, index) => {
    const at = 8 + length * index;
    const isNothing = view.getInt32(at + (isLong ? 8 : 4)) < 0;
    return {
      duration: isLong ? uint64(view, at) : view.getUint32(at),
      from: isNothing ? null : isLong ? uint64(view, at + 8) : view.getUint32(at + 4),
    };
  });
}

/**
 * Whether a movie without fragments has an edit with the duration 0, which means the rest of the media. Fragmented movies
 * have such edits, and programs that join the tracks of a stream copy them.
 */
export const hasOpenEdits = (movie: ParentBox): boolean =>
  !isFragmented(movie) &&
  tracksOf(movie).some((track) => editsOf(track).some(({ duration, from }) => duration === 0 && from !== null));

/**
 * Returns for how many seconds players show a movie: up to the end of the last sample of its enabled tracks, with their
 * edits applied. The durations in headers count only if the samples have no times: they are often 0, unknown, too large
 * or too small. In a fragmented movie, times count from the first sample, because it may have been cut from a stream
 * that began long before.
 *
 * @param shown the track chosen by `shownTrackOf`
 * @param spans the spans of the tracks that have samples
 */
export function shownSeconds(movie: ParentBox, shown: ParentBox, spans: ReadonlyMap<ParentBox, Span>): number {
  const times = playedTracks(movie, shown).flatMap((track) => {
    const [span, scale] = [spans.get(track), timescaleOf(track)];
    if (span === undefined || span.isEmpty || scale === 0) return [];
    const edited = { span, scale, edits: editsOf(track), movieScale: movieTimescaleOf(movie) };
    return [isFragmented(movie) ? fragmentedTimes(edited) : { start: 0, end: editedSeconds(edited) }];
  });
  const start = Math.min(...times.map((time) => time.start));
  const end = Math.max(...times.map((time) => time.end));
  return end > start ? end - start : announcedSeconds(movie, shown);
}

/**
 * Returns the tracks that are played: the shown track, and every enabled video or sound track. If the shown track isn't
 * enabled, the flags are ignored, and all video and sound tracks are played.
 */
function playedTracks(movie: ParentBox, shown: ParentBox): readonly ParentBox[] {
  return tracksOf(movie).filter(
    (track) =>
      track === shown || (['vide', 'soun'].includes(handlerOf(track) ?? '') && (isEnabled(track) || !isEnabled(shown))),
  );
}

interface EditedTrack {
  readonly span: Span;
  readonly scale: number;
  readonly edits: readonly Edit[];
  readonly movieScale: number;
}

/**
 * Returns for how many seconds a track is shown once its edits are applied. Players ignore the rate of an edit. If an
 * edit is longer than the media, it ends with the media.
 */
function editedSeconds({ span, scale, edits, movieScale }: EditedTrack): number {
  if (edits.every(({ from }) => from === null)) return (span.end - span.start) / scale + nothing(edits, movieScale);
  return edits.reduce((sum, { duration, from }) => {
    const seconds = movieScale > 0 ? duration / movieScale : 0;
    if (from === null) return sum + seconds;
    const rest = Math.max(0, (span.end - from) / scale);
    // A duration of 0 means the rest of the media.
    return sum + (seconds > 0 ? Math.min(seconds, rest) : rest);
  }, 0);
}

/**
 * Returns when a fragmented movie starts and ends. Its edits only shift samples: they were written before it was known
 * how many samples would follow.
 */
function fragmentedTimes({ span, scale, edits, movieScale }: EditedTrack) {
  const first = edits.findIndex(({ from }) => from !== null);
  const from = edits[first]?.from ?? 0;
  const before = nothing(first < 0 ? edits : edits.slice(0, first), movieScale);
  return { start: Math.max(0, span.start - from) / scale, end: before + (span.end - from) / scale };
}

const nothing = (edits: readonly Edit[], movieScale: number): number =>
  movieScale > 0 ? edits.reduce((sum, { duration }) => sum + duration, 0) / movieScale : 0;
