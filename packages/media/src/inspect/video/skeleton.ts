import { setImmediate } from 'node:timers/promises';
import {
  BOX_HEADER,
  type BoundedReader,
  type Box,
  BoxTree,
  contentView,
  Damaged,
  FragmentRuns,
  FrameTimes,
  isFragmented,
  type ParentBox,
  type Plan,
  readTrackClock,
  type Span,
  shownTrackOf,
  type TrackClock,
  trackIdOf,
  tracksOf,
  Unreadable,
  uint64,
} from '@postshelf/domain/formats';
import { type PlacedSamples, placedSamples, sampleTimes } from './sample-tables.ts';

/**
 * Boxes to read. The samples and their tables aren't among them, because a few bytes in a table can claim billions of
 * samples.
 */
const MOVIE: Plan = {
  mvhd: 'content',
  trak: {
    tkhd: 'content',
    edts: { elst: 'content' },
    mdia: {
      mdhd: 'content',
      hdlr: 'content',
      minf: {
        dinf: { dref: 'content' },
        stbl: {
          stsd: 'content',
          stts: 'table',
          ctts: 'table',
          stsc: 'table',
          stsz: 'table',
          stz2: 'table',
          stco: 'table',
          co64: 'table',
        },
      },
    },
  },
  mvex: { trex: 'content' },
};
const FRAGMENT: Plan = { traf: { tfhd: 'content', tfdt: 'content', trun: 'content' } };

/** Types of boxes that contain a part of the video. If such a box is truncated, that part is missing. */
const MEDIA = ['ftyp', 'styp', 'moov', 'moof', 'mdat', 'sidx', 'mfra', 'prft', 'emsg'];
const FILLING = ['free', 'skip', 'wide', 'uuid', 'pnot', 'meta', 'udta'];

/**
 * Bytes to read ahead in a movie box, most of which is read from end to end. The boxes before and after it are read one
 * by one.
 */
const MOVIE_WINDOW = 64 * 1024;

/** A video without its samples and their tables. */
export interface Skeleton {
  readonly movie: ParentBox;
  /** The track that players show. */
  readonly main: ParentBox;
  /** The samples that the movie box lists for each track, and their durations. */
  readonly tables: ReadonlyMap<ParentBox, PlacedSamples & { readonly times: FrameTimes }>;
  /** The time span of each track's samples, including those in fragments. */
  readonly spans: ReadonlyMap<ParentBox, Span>;
  /** The content of fragments: the samples of all tracks, and the times of the main track's samples. */
  readonly fragmented: { readonly samples: number; readonly bytes: number; readonly times: FrameTimes };
  /** Whether the movie box comes before the media data. */
  readonly moovFirst: boolean;
  /** The reader of the file. It still buffers the end of the movie box, or the whole box if that is small. */
  readonly reader: BoundedReader;
}

/**
 * Reads the skeleton. Throws `Damaged` if the file ends inside a box with media or before the end of its samples,
 * `Unreadable`, and whatever the source throws.
 */
export async function readSkeleton(reader: BoundedReader): Promise<Skeleton> {
  return new SkeletonReader(reader).read();
}

class SkeletonReader {
  readonly #tree = new BoxTree();
  readonly #fragmented = { samples: 0, bytes: 0, times: new FrameTimes() };
  #movie: Movie | null = null;
  #sawData = false;

  constructor(private readonly reader: BoundedReader) {}

  async read(): Promise<Skeleton> {
    const { size } = this.reader;
    let offset = 0;
    while (offset + BOX_HEADER <= size) {
      const box = await this.#tree.top(this.reader, offset);
      if (box === null || box.end > size) {
        this.#end(box);
        break;
      }
      await this.#take(box);
      offset = box.end;
    }
    if (this.#movie === null) throw new Damaged('The file ends before its movie box.');
    if (this.#movie.runs !== null && size - offset < BOX_HEADER) await this.#refuseCutHeader(offset);
    const { node: movie, main, moovFirst, reader, tables, spans } = this.#movie;
    return { movie, main, moovFirst, reader, tables, spans, fragmented: this.#fragmented };
  }

  async #take(box: Box): Promise<void> {
    if (box.type === 'mdat') this.#sawData = true;
    if (box.type === 'moov' && this.#movie === null) {
      const reader = this.reader.withWindow(Math.min(MOVIE_WINDOW, box.end - box.start));
      const node = await this.#tree.keep(reader, box, MOVIE);
      const main = await shownTrackOf(reader, node);
      const { tables, spans, clocks } = await readTables(reader, node);
      const runs = isFragmented(node) ? new FragmentRuns(node, this.reader.size, clocks, () => setImmediate()) : null;
      this.#movie = { node, main, id: trackIdOf(main), moovFirst: !this.#sawData, runs, reader, tables, spans };
    }
    if (box.type === 'moof' && this.#movie?.runs) await this.#takeFragment(box, this.#movie, this.#movie.runs);
    if (box.type === 'sidx' && this.#movie?.runs) {
      const { content } = await this.#tree.content(this.reader, box);
      if (box.end + indexedBytes(content) > this.reader.size)
        throw new Damaged('Segments lie after the end of the file.');
    }
  }

  async #takeFragment(box: Box, { id }: Movie, runs: FragmentRuns): Promise<void> {
    const fragment = await this.#tree.keep(this.reader, box, FRAGMENT);
    for await (const { track, samples, bytes, times } of runs.of(fragment, box.from)) {
      this.#fragmented.samples += samples;
      this.#fragmented.bytes += bytes;
      if (track === id) this.#fragmented.times.addAll(times);
    }
  }

  /**
   * Handles the end of the boxes. `cut` is the box inside which the file ends; null if the remaining bytes aren't a
   * box.
   */
  #end(cut: Box | null): void {
    const movie = this.#movie;
    // Some cameras write too large a length for `mdat`. The tables define what this box must contain.
    const isLongData = cut?.type === 'mdat' && movie !== null && movie.runs === null;
    if (cut && MEDIA.includes(cut.type) && !isLongData) throw new Damaged('The file ends inside a box.');
    if (movie === null && !(cut && FILLING.includes(cut.type))) throw new Unreadable('The file has no movie box.');
  }

  /**
   * Refuses a file that ends inside a box header. Fewer than 8 bytes count as padding, unless they look like a header.
   */
  async #refuseCutHeader(offset: number): Promise<void> {
    const rest = Buffer.from(await this.reader.read(offset, this.reader.size - offset));
    const isSize = rest[0] === 0 && rest.some((byte) => byte !== 0);
    if (isSize && MEDIA.some((type) => type.startsWith(rest.toString('latin1', 4))))
      throw new Damaged('The file ends inside a header.');
  }
}

/** Reads the tables in the movie box. If several tracks have the same id, the fragments belong to the first. */
async function readTables(reader: BoundedReader, movie: ParentBox) {
  const tables = new Map<ParentBox, PlacedSamples & { readonly times: FrameTimes }>();
  const spans = new Map<ParentBox, Span>();
  const clocks = new Map<number, TrackClock>();
  for (const track of tracksOf(movie)) {
    const times = await sampleTimes(reader, track);
    const placed = await placedSamples(reader, track, times);
    const clock = await readTrackClock(reader, track, placed.samples);
    const id = trackIdOf(track);
    if (!clocks.has(id)) clocks.set(id, clock);
    tables.set(track, { ...placed, times });
    spans.set(track, clock.span);
  }
  return { tables, spans, clocks };
}

interface Movie extends Pick<Skeleton, 'tables' | 'spans'> {
  readonly reader: BoundedReader;
  readonly node: ParentBox;
  readonly main: ParentBox;
  readonly id: number;
  readonly moovFirst: boolean;
  readonly runs: FragmentRuns | null;
}

/**
 * Returns the number of bytes that the box `sidx` covers: the distance to the first segment plus the sizes of all
 * segments (ISO/IEC 14496-12, section 8.16.3).
 */
function indexedBytes(content: Uint8Array): number {
  const isLong = content[0] === 1;
  const list = isLong ? 32 : 24;
  const view = contentView(content, list);
  let bytes = isLong ? uint64(view, 20) : view.getUint32(16);
  const count = view.getUint16(list - 2);
  contentView(content, list + 12 * count);
  for (let index = 0; index < count; index += 1) bytes += view.getUint32(list + 12 * index) & 0x7fffffff;
  return bytes;
}
