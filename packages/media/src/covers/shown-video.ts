import type { ByteSource } from '@postshelf/domain';
import {
  BoundedReader,
  BoxTree,
  boxesBetween,
  Damaged,
  type DeclaredColours,
  declaredColours,
  hasOpenEdits,
  type Plan,
  playedSoundOf,
  shownTrackOf,
  trackIdOf,
  tracksOf,
  Unreadable,
  Unsupported,
} from '@postshelf/domain/formats';
import { coloursIn, filtersOf, reportArguments, TONE_FILTERS, type VideoColours } from './colours.ts';

const LIMITS = { budget: 16 * 1024 * 1024, window: 4096 };

const TRACKS: Plan = {
  trak: {
    tkhd: 'content',
    edts: { elst: 'content' },
    mdia: { hdlr: 'content', minf: { stbl: { stsd: 'content', stsz: 'table', stz2: 'table' } } },
  },
  mvex: 'table',
};

/** The stream that players show, and how it encodes its colours. */
export interface ShownVideo {
  /** ffmpeg's specifier for the stream, in its first input. */
  readonly stream: string;
  /** ffmpeg's specifier for the sound that players use; null if there is none. */
  readonly sound: string | null;
  /** Options of ffmpeg's demuxer for this file. */
  readonly demuxing: readonly string[];
  readonly colours: VideoColours;
  /** Whether this ffmpeg can convert HDR to SDR. */
  readonly mapsTones: boolean;
}

/**
 * Finds the video stream that players show. Reads its colours from the container and from a report on its first frame.
 *
 * @param report runs ffmpeg with the given arguments on the video, and returns what it writes to standard error
 * @throws whatever `source.read` and `report` throw
 */
export async function findShownVideo(
  ffmpegPath: string,
  source: ByteSource,
  report: (args: readonly string[]) => Promise<Uint8Array | null>,
): Promise<ShownVideo> {
  const { stream, sound, demuxing, declared } = await shownStreamOf(source);
  const reported = await report(reportArguments(stream, demuxing));
  const colours = coloursIn(new TextDecoder().decode(reported ?? new Uint8Array()), declared);
  // If ffmpeg didn't report in time, its filters aren't queried, because it might take just as long to list them.
  return {
    stream,
    sound,
    demuxing,
    colours,
    mapsTones: colours.hdr !== null && reported !== null && (await canMapTones(ffmpegPath)),
  };
}

/** Maps the path of each ffmpeg that was queried so far to whether it has the filters of {@link TONE_FILTERS}. */
const toneMappers = new Map<string, boolean>();

async function canMapTones(ffmpegPath: string): Promise<boolean> {
  const known = toneMappers.get(ffmpegPath);
  if (known !== undefined) return known;
  const filters = await filtersOf(ffmpegPath);
  const canMap = TONE_FILTERS.every((name) => filters.has(name));
  // Every ffmpeg has filters. An empty list means that the machine was too busy to run ffmpeg, so it is asked again for
  // the next video.
  if (filters.size > 0) toneMappers.set(ffmpegPath, canMap);
  return canMap;
}

interface ShownStream extends Pick<ShownVideo, 'stream' | 'sound' | 'demuxing'> {
  readonly declared: DeclaredColours | null;
}

/**
 * Options that make ffmpeg apply only the start of an edit. Otherwise it shows nothing of a track that has an edit with
 * the duration 0.
 */
const WITH_OPEN_EDITS = ['-advanced_editlist', '0'];

/** The streams to use if a file's movie box can't be read: ffmpeg's first ones. */
const FIRST: ShownStream = { stream: '0:V:0', sound: '0:a:0', demuxing: [], declared: null };

/**
 * Returns each stream that players show. It is specified by its track's id, because ffmpeg's own stream numbers depend
 * on cover images and on tracks that ffmpeg skips.
 */
async function shownStreamOf(source: ByteSource): Promise<ShownStream> {
  const reader = new BoundedReader(source, LIMITS);
  try {
    for await (const box of boxesBetween(reader, 0, source.size)) {
      if (box.type !== 'moov') continue;
      const movie = await new BoxTree().keep(reader, box, TRACKS);
      const shown = await shownTrackOf(reader, movie);
      const played = playedSoundOf(movie);
      const [id, soundId] = [trackIdOf(shown), played === null ? null : trackIdOf(played)];
      const ids = tracksOf(movie).map(trackIdOf);
      if (ids.some((each, index) => (each === id || each === soundId) && ids.indexOf(each) !== index)) return FIRST;
      return {
        stream: `0:i:${id}`,
        sound: soundId === null ? null : `0:i:${soundId}`,
        demuxing: hasOpenEdits(movie) ? WITH_OPEN_EDITS : [],
        declared: declaredColours(shown),
      };
    }
    return FIRST;
  } catch (error) {
    // ffmpeg may be able to read a file that this parser can't read.
    if (error instanceof Unreadable || error instanceof Damaged || error instanceof Unsupported) return FIRST;
    throw error;
  }
}
