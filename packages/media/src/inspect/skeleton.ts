import { type BoundedReader, Unreadable } from './bounded-reader.ts';
import { type Box, type BoxNode, boxesBetween, type ContentBox, contentAt, type ParentBox, viewOf } from './boxes.ts';
import { LastFragments } from './fragments.ts';

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
const MAX_SIBLINGS = 256;
const MAX_CONTENT_LENGTH = 1024 * 1024;
const MAX_CONTENT_IN_ALL = 32 * 1024 * 1024;
/** Of `stsd`, whose boxes may be nested at will. */
const MAX_DESCRIPTIONS_LENGTH = 64 * 1024;
const MAX_DESCRIPTIONS = 16;

export interface Skeleton {
  /** The movie header and one track, the main video track. */
  readonly movie: ParentBox;
  /** Those that tell when the track ends; none unless the movie is fragmented (ISO/IEC 14496-12, section 8.8). */
  readonly fragments: readonly ParentBox[];
}

/** Reads a video's skeleton. Throws `Unreadable`, and what the source throws. */
export async function readSkeleton(reader: BoundedReader): Promise<Skeleton> {
  return new SkeletonReader(reader).read();
}

class SkeletonReader {
  #boxes = 0;
  #bytes = 0;

  constructor(private readonly reader: BoundedReader) {}

  async read(): Promise<Skeleton> {
    let movie: ParentBox | null = null;
    let track: number | null = null;
    const fragments = new LastFragments();
    for await (const box of this.#boxesBetween(0, this.reader.size)) {
      if (box.type === 'moov' && movie === null) {
        movie = withMainTrack(await this.#keep(box, MOVIE));
        track = trackIdOf(movie);
        if (!movie.children.some(({ type }) => type === 'mvex')) break;
      } else if (box.type === 'moof' && track !== null) {
        fragments.add(await this.#keep(box, FRAGMENT), track);
      }
    }
    if (movie === null) throw new Unreadable('The file has no movie box.');
    return { movie, fragments: fragments.all };
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
    if (length > MAX_CONTENT_LENGTH || this.#bytes > MAX_CONTENT_IN_ALL)
      throw new Unreadable('The headers are too long.');
    const content = (await this.reader.read(start, length)).slice();
    if (type === 'stsd') checkDescriptions(content);
    return { type, content };
  }
}

function checkDescriptions(content: Uint8Array): void {
  const tooLong = content.length > MAX_DESCRIPTIONS_LENGTH;
  if (tooLong || viewOf(content, 8).getUint32(4) > MAX_DESCRIPTIONS) throw new Unreadable('Too many descriptions.');
}

/** Of the tracks it keeps the first video track that is switched on: QuickTime has chapter pictures in others. */
function withMainTrack(movie: ParentBox): ParentBox {
  const tracks = movie.children.filter(isVideoTrack);
  const main = tracks.find(isSwitchedOn) ?? tracks[0];
  if (main === undefined) throw new Unreadable('The file has no video track.');
  return { ...movie, children: movie.children.filter((child) => child.type !== 'trak' || child === main) };
}

function isVideoTrack(box: BoxNode): boolean {
  if (box.type !== 'trak') return false;
  const handler = contentAt(box, 'mdia', 'hdlr');
  return handler !== undefined && String.fromCharCode(...handler.subarray(8, 12)) === 'vide';
}

const isSwitchedOn = (track: BoxNode): boolean => ((contentAt(track, 'tkhd')?.[3] ?? 0) & 1) === 1;

function trackIdOf(movie: ParentBox): number {
  const header = contentAt(movie, 'trak', 'tkhd') ?? new Uint8Array();
  const view = viewOf(header, 24);
  return view.getUint32(view.getUint8(0) === 1 ? 20 : 12);
}
