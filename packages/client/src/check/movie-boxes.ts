import {
  BoundedReader,
  BoxTree,
  boxAt,
  FragmentRuns,
  FrameTimes,
  hasEdits,
  isFragmented,
  type ParentBox,
  type Plan,
  readTrackClock,
  type Span,
  sampleCountOf,
  shownSeconds,
  shownTrackOf,
  type TrackClock,
  timescaleOf,
  trackIdOf,
  tracksOf,
} from '@postshelf/domain/formats';
import { sourceOf } from './source-of.ts';
import { UnreadableFile } from './unreadable-file.ts';

export interface MovieBoxes {
  readonly movie: ParentBox;
  /** The video track that players show. */
  readonly shown: ParentBox;
  /** Whether the movie box comes before the media data. */
  readonly moovFirst: boolean;
  /** Whether an edit list skips, delays, repeats or retimes anything. */
  readonly editList: boolean;
  readonly durationMs: number | null;
  /** Frames per second; null if the file has no sample times. */
  readonly frameRate: number | null;
}

const LIMITS = { budget: 64 * 1024 * 1024, window: 1024 };

/** Read-ahead in bytes; movie boxes are mostly read from start to end. */
const MOVIE_WINDOW = 64 * 1024;

const MOVIE: Plan = {
  mvhd: 'content',
  trak: {
    tkhd: 'content',
    edts: { elst: 'content' },
    mdia: {
      mdhd: 'content',
      hdlr: 'content',
      minf: { stbl: { stsd: 'content', stts: 'table', ctts: 'table', stsz: 'table', stz2: 'table' } },
    },
  },
  mvex: { trex: 'content' },
};
const FRAGMENT: Plan = { traf: { tfhd: 'content', tfdt: 'content', trun: 'content' } };

interface Movie {
  readonly node: ParentBox;
  readonly shown: ParentBox;
  readonly times: FrameTimes;
  readonly spans: ReadonlyMap<ParentBox, Span>;
  readonly moovFirst: boolean;
  /** The samples in fragments; null if there are no fragments. */
  readonly runs: FragmentRuns | null;
}

/**
 * Reads a video's movie boxes, and computes its duration from its samples, as the service does.
 *
 * @throws UnreadableFile if there is no movie box; Unreadable or Damaged if it doesn't parse; Unsupported if there is
 *   no video track
 */
export async function readMovieBoxes(file: Blob): Promise<MovieBoxes> {
  const reader = new BoundedReader(sourceOf(file), LIMITS);
  const tree = new BoxTree();
  let movie: Movie | null = null;
  let moovFirst = true;
  for (let offset = 0; offset + 8 <= file.size; ) {
    const box = await boxAt(reader, offset, file.size);
    if (box === null) break;
    if (box.type === 'mdat') moovFirst = false;
    if (box.type === 'moov' && movie === null) {
      const wide = reader.withWindow(MOVIE_WINDOW);
      movie = await readMovie(wide, await tree.keep(wide, box, MOVIE), moovFirst);
    }
    if (movie !== null && movie.runs === null) break;
    if (box.type === 'moof' && movie?.runs) {
      const fragment = await tree.keep(reader, box, FRAGMENT);
      for await (const { track, times } of movie.runs.of(fragment, box.from))
        if (track === trackIdOf(movie.shown)) movie.times.addAll(times);
    }
    offset = box.end;
  }
  if (movie === null) throw new UnreadableFile('The file has no movie box.');
  const { node, shown, spans, times } = movie;
  return {
    ...{ movie: node, shown, moovFirst: movie.moovFirst, editList: hasEdits(node) },
    durationMs: Math.round(shownSeconds(node, shown, spans) * 1000) || null,
    frameRate: times.rate(timescaleOf(shown)),
  };
}

async function readMovie(reader: BoundedReader, node: ParentBox, moovFirst: boolean): Promise<Movie> {
  const shown = await shownTrackOf(reader, node);
  const times = new FrameTimes();
  const spans = new Map<ParentBox, Span>();
  const clocks = new Map<number, TrackClock>();
  for (const track of tracksOf(node)) {
    // If there is no sample size table, the number of samples isn't limited: the time table determines it.
    const samples = (await sampleCountOf(reader, track)) ?? Number.POSITIVE_INFINITY;
    const clock = await readTrackClock(reader, track, samples, (count, each) => {
      if (track === shown) times.add(count, each);
    });
    spans.set(track, clock.span);
    const id = trackIdOf(track);
    if (!clocks.has(id)) clocks.set(id, clock);
  }
  const runs = isFragmented(node) ? new FragmentRuns(node, reader.size, clocks) : null;
  return { node, shown, times, spans, moovFirst, runs };
}
