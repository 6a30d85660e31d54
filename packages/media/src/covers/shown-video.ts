import type { ByteSource } from '@postshelf/domain';
import {
  BoundedReader,
  BoxTree,
  boxesBetween,
  Damaged,
  type DeclaredColours,
  declaredColours,
  type Plan,
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
    mdia: { hdlr: 'content', minf: { stbl: { stsd: 'content', stsz: 'table', stz2: 'table' } } },
  },
  mvex: 'table',
};

/** The stream that players show, and how its colours are meant. */
export interface ShownVideo {
  /** ffmpeg's specifier of it, in its first input. */
  readonly stream: string;
  readonly colours: VideoColours;
  /** Whether this ffmpeg can bring HDR to a screen without. */
  readonly mapsTones: boolean;
}

/**
 * @param report runs the program with these arguments on the video, and returns what it writes to standard error
 * @throws what `source.read` and `report` throw
 */
export async function findShownVideo(
  ffmpegPath: string,
  source: ByteSource,
  report: (args: readonly string[]) => Promise<Uint8Array | null>,
): Promise<ShownVideo> {
  const { stream, declared } = await shownStreamOf(source);
  const reported = await report(reportArguments(stream));
  const colours = coloursIn(new TextDecoder().decode(reported ?? new Uint8Array()), declared);
  return { stream, colours, mapsTones: colours.hdr !== null && (await canMapTones(ffmpegPath)) };
}

const known = new Map<string, Promise<boolean>>();

function canMapTones(ffmpegPath: string): Promise<boolean> {
  const answer =
    known.get(ffmpegPath) ?? filtersOf(ffmpegPath).then((filters) => TONE_FILTERS.every((name) => filters.has(name)));
  known.set(ffmpegPath, answer);
  return answer;
}

interface ShownStream {
  readonly stream: string;
  readonly declared: DeclaredColours | null;
}

/** Without a movie box that can be read, ffmpeg's first video stream. */
const FIRST: ShownStream = { stream: '0:V:0', declared: null };

/**
 * A stream goes by the id of its track, as ffmpeg's own numbers change with cover pictures and with tracks that it leaves
 * out.
 */
async function shownStreamOf(source: ByteSource): Promise<ShownStream> {
  const reader = new BoundedReader(source, LIMITS);
  try {
    for await (const box of boxesBetween(reader, 0, source.size)) {
      if (box.type !== 'moov') continue;
      const movie = await new BoxTree().keep(reader, box, TRACKS);
      const shown = await shownTrackOf(reader, movie);
      const id = trackIdOf(shown);
      if (tracksOf(movie).filter((track) => trackIdOf(track) === id).length > 1) return FIRST;
      return { stream: `0:i:${id}`, declared: declaredColours(shown) };
    }
    return FIRST;
  } catch (error) {
    // ffmpeg says what becomes of such a file.
    if (error instanceof Unreadable || error instanceof Damaged || error instanceof Unsupported) return FIRST;
    throw error;
  }
}
