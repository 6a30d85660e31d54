import { type BoundedReader, Unreadable } from './bounded-reader.ts';
import { type Box, type BoxNode, boxesBetween, type ContentBox, contentAt, type ParentBox, viewOf } from './boxes.ts';

/** Which boxes to keep below one: `content` whole, or again some of those in it. */
type Plan = { readonly [type: string]: 'content' | Plan };

/**
 * What a video's headers say, without the sample tables and the samples: these are nearly all of a file, and in them
 * a few bytes can claim billions of samples.
 */
const MOVIE: Plan = {
  mvhd: 'content',
  trak: {
    tkhd: 'content',
    mdia: { mdhd: 'content', hdlr: 'content', minf: { stbl: { stsd: 'content' } } },
  },
  mvex: { trex: 'content' },
};
const FRAGMENT: Plan = { traf: { tfhd: 'content', tfdt: 'content', trun: 'content' } };

/** Bounds of the work that a file may cause. Three hours of 60 frames a second in 1-second fragments stay within them. */
const MAX_BOXES = 500_000;
const MAX_KEPT_BYTES = 16 * 1024 * 1024;
const MAX_CONTENT_LENGTH = 1024 * 1024;
const MAX_DESCRIPTION_LENGTH = 64 * 1024;
const MAX_DESCRIPTIONS = 16;
const MAX_SIBLINGS = 256;
const MAX_FRAGMENTS = 32_768;
const MAX_SAMPLES_PER_RUN = 65_536;
const MAX_SAMPLES = 1_000_000;

export interface Skeleton {
  readonly movie: ParentBox;
  /** Empty unless the movie is fragmented (ISO/IEC 14496-12, section 8.8). */
  readonly fragments: readonly ParentBox[];
}

/** Reads a video's skeleton, its video tracks alone. Throws `Unreadable`, and what the source throws. */
export async function readSkeleton(reader: BoundedReader): Promise<Skeleton> {
  return new SkeletonReader(reader).read();
}

class SkeletonReader {
  #boxes = 0;
  #bytes = 0;
  #samples = 0;

  constructor(private readonly reader: BoundedReader) {}

  async read(): Promise<Skeleton> {
    let movie: ParentBox | null = null;
    let tracks: ReadonlySet<number> = new Set();
    const fragments: ParentBox[] = [];
    for await (const box of this.#boxesBetween(0, this.reader.size)) {
      if (box.type === 'moov' && movie === null) {
        movie = keepVideo(await this.#keep(box, MOVIE));
        tracks = trackIdsOf(movie);
        if (!isFragmented(movie)) break;
      } else if (box.type === 'moof' && movie !== null) {
        fragments.push(this.#keepTracks(await this.#keep(box, FRAGMENT), tracks));
        if (fragments.length > MAX_FRAGMENTS) throw new Unreadable('Too many fragments.');
      }
    }
    if (movie === null) throw new Unreadable('The file has no movie box.');
    return { movie, fragments };
  }

  async *#boxesBetween(start: number, end: number): AsyncGenerator<Box> {
    for await (const box of boxesBetween(this.reader, start, end)) {
      this.#boxes += 1;
      if (this.#boxes > MAX_BOXES) throw new Unreadable('Too many boxes.');
      yield box;
    }
  }

  async #keep(box: Box, plan: Plan): Promise<ParentBox> {
    const children: BoxNode[] = [];
    for await (const child of this.#boxesBetween(box.start, box.end)) {
      if (child.end > box.end) throw new Unreadable('A box reaches past the one that holds it.');
      const what = Object.hasOwn(plan, child.type) ? plan[child.type] : undefined;
      if (what === undefined) continue;
      children.push(what === 'content' ? await this.#keepContent(child) : await this.#keep(child, what));
      if (children.length > MAX_SIBLINGS) throw new Unreadable('Too many boxes in one.');
    }
    return { type: box.type, children };
  }

  async #keepContent({ type, start, end }: Box): Promise<ContentBox> {
    const length = end - start;
    this.#bytes += length;
    if (length > MAX_CONTENT_LENGTH || this.#bytes > MAX_KEPT_BYTES) throw new Unreadable('The headers are too large.');
    const content = (await this.reader.read(start, length)).slice();
    if (type === 'stsd') checkDescriptions(content);
    return { type, content };
  }

  #keepTracks(fragment: ParentBox, tracks: ReadonlySet<number>): ParentBox {
    const children = fragment.children.filter((run) => tracks.has(uint32(contentAt(run, 'tfhd'), 4) ?? -1));
    for (const track of children) this.#countSamples(track);
    return { type: fragment.type, children };
  }

  /** A run may claim any number of samples in a few bytes, when they all are alike (section 8.8.8). */
  #countSamples(track: BoxNode): void {
    if (!('children' in track)) return;
    for (const run of track.children) {
      if (run.type !== 'trun') continue;
      const samples = uint32(contentAt(run), 4) ?? 0;
      this.#samples += samples;
      if (samples > MAX_SAMPLES_PER_RUN || this.#samples > MAX_SAMPLES) throw new Unreadable('Too many samples.');
    }
  }
}

/** Boxes may be nested in a description at will, and are gone through again for each of them. */
function checkDescriptions(content: Uint8Array): void {
  const count = uint32(content, 4) ?? 0;
  if (count > MAX_DESCRIPTIONS || content.length > MAX_DESCRIPTION_LENGTH)
    throw new Unreadable('Too many descriptions.');
}

function keepVideo(movie: ParentBox): ParentBox {
  return { ...movie, children: movie.children.filter((child) => child.type !== 'trak' || isVideoTrack(child)) };
}

const isVideoTrack = (track: BoxNode): boolean => {
  const handler = contentAt(track, 'mdia', 'hdlr');
  return handler !== undefined && String.fromCharCode(...handler.subarray(8, 12)) === 'vide';
};

const isFragmented = (movie: ParentBox): boolean => movie.children.some(({ type }) => type === 'mvex');

function trackIdsOf(movie: ParentBox): Set<number> {
  const ids = new Set<number>();
  for (const track of movie.children) {
    const header = contentAt(track, 'tkhd');
    const id = uint32(header, header?.[0] === 1 ? 20 : 12);
    if (id !== undefined) ids.add(id);
  }
  return ids;
}

/** The 32-bit number at the offset of a box's content; undefined when it isn't that long. */
function uint32(content: Uint8Array | undefined, offset: number): number | undefined {
  return content && offset + 4 <= content.length ? viewOf(content).getUint32(offset) : undefined;
}
