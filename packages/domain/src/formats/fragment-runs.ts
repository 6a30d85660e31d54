import { contentAt, type ParentBox } from './box-node.ts';
import { contentView, uint64 } from './boxes.ts';
import { Damaged } from './errors.ts';
import { FrameTimes } from './frame-times.ts';
import { TrackClock } from './shown-time.ts';

/** Default values of samples, for a track (`trex`) or one of its fragments (`tfhd`). */
interface Defaults {
  readonly duration: number;
  readonly size: number;
}

/** The samples that a fragment adds to a track. */
export interface FragmentSamples {
  /** The track's id. */
  readonly track: number;
  readonly samples: number;
  readonly bytes: number;
  readonly times: FrameTimes;
}

/** Flags of `tfhd` and `trun` (ISO/IEC 14496-12, sections 8.8.7 and 8.8.8). */
const HEADER = { offset: 0x01, description: 0x02, duration: 0x08, size: 0x10, baseIsMoof: 0x20000 };
const RUN = { offset: 0x01, firstFlags: 0x04, duration: 0x100, size: 0x200, flags: 0x400, shift: 0x800 };
/** Flags of `trun` for fields of each sample: duration, size, flags and composition offset, in this order. */
const PER_SAMPLE = [RUN.duration, RUN.size, RUN.flags, RUN.shift];

/** Number of samples after which other work on the main thread may run. Reading them takes some 0.2 ms. */
const MANY_SAMPLES = 10_000;

/** Reads the fragments of one movie. */
export class FragmentRuns {
  readonly #defaults = new Map<number, Defaults>();

  constructor(
    movie: ParentBox,
    private readonly fileSize: number,
    /** Clocks by track id; they continue where the samples of the movie box end. */
    private readonly clocks: ReadonlyMap<number, TrackClock>,
    /** Lets other work on the thread run. */
    private readonly pause: () => Promise<unknown> = async () => undefined,
  ) {
    const extensions = movie.children.find(({ type }) => type === 'mvex');
    for (const node of extensions && 'children' in extensions ? extensions.children : []) {
      const view = contentView(contentAt(node) ?? new Uint8Array(), 20);
      this.#defaults.set(view.getUint32(4), { duration: view.getUint32(12), size: view.getUint32(16) });
    }
  }

  /**
   * Yields the samples of each track in a fragment.
   *
   * @param offset where the fragment begins in the file
   * @throws Damaged if a run extends beyond the file; Unreadable
   */
  async *of(fragment: ParentBox, offset: number): AsyncGenerator<FragmentSamples> {
    let previousEnd = offset;
    for (const child of fragment.children) {
      if (!('children' in child)) continue;
      const { end, ...samples } = await this.#ofTrack(child, offset, previousEnd);
      previousEnd = end;
      yield samples;
    }
  }

  /** @param previousEnd where the samples of the fragment's previous track end in the file */
  async #ofTrack(fragment: ParentBox, offset: number, previousEnd: number): Promise<FragmentSamples & { end: number }> {
    const { track, base, defaults } = this.#header(fragment, offset, previousEnd);
    const times = new FrameTimes();
    const clock = this.clocks.get(track) ?? new TrackClock();
    const begins = contentAt(fragment, 'tfdt');
    if (begins !== undefined) clock.next = decodeTime(begins);
    let [samples, bytes, end] = [0, 0, base];
    for (const node of fragment.children) {
      if (node.type !== 'trun') continue;
      const run = readRun(contentAt(node) ?? new Uint8Array(), defaults, (count, each, shift) => {
        times.add(count, each);
        clock.add(count, each, shift);
      });
      const start = run.offset === null ? end : base + run.offset;
      end = start + run.bytes;
      if (run.bytes > 0 && (start < 0 || end > this.fileSize))
        throw new Damaged('Samples of a fragment are not in the file.');
      samples += run.samples;
      bytes += run.bytes;
      // After a long run, other work on the thread gets its turn: a run may be a megabyte long, and a fragment may have
      // many runs.
      if (run.samples > MANY_SAMPLES) await this.pause();
    }
    return { track, samples, bytes, times, end };
  }

  /**
   * Reads `tfhd`: flags, the track's id, and those of the optional fields that the flags announce: a base (8 bytes),
   * then the index of a description, a duration and a size (4 bytes each).
   */
  #header(fragment: ParentBox, offset: number, previousEnd: number) {
    const content = contentAt(fragment, 'tfhd') ?? new Uint8Array();
    const [flags, track] = [contentView(content, 8).getUint32(0), contentView(content).getUint32(4)];
    const ofTrack = this.#defaults.get(track) ?? { duration: 0, size: 0 };
    const has = (flag: number): boolean => (flags & flag) !== 0;
    const descriptionAt = has(HEADER.offset) ? 16 : 8;
    const durationAt = descriptionAt + (has(HEADER.description) ? 4 : 0);
    const sizeAt = durationAt + (has(HEADER.duration) ? 4 : 0);
    const view = contentView(content, sizeAt + (has(HEADER.size) ? 4 : 0));
    const impliedBase = has(HEADER.baseIsMoof) ? offset : previousEnd;
    const defaults = {
      duration: has(HEADER.duration) ? view.getUint32(durationAt) : ofTrack.duration,
      size: has(HEADER.size) ? view.getUint32(sizeAt) : ofTrack.size,
    };
    return { track, base: has(HEADER.offset) ? uint64(view, 8) : impliedBase, defaults };
  }
}

/** Reads the decode time of a fragment's first sample (`tfdt`, section 8.8.12). */
function decodeTime(content: Uint8Array): number {
  const view = contentView(content, 8);
  if (view.getUint8(0) !== 1) return view.getUint32(4);
  return uint64(contentView(content, 12), 4);
}

/**
 * @param each the duration of each sample
 * @param shift the time from decoding to display
 */
type OnSamples = (samples: number, each: number, shift: number) => void;

/**
 * Reads a run (`trun`): flags, the number of samples, two optional fields (4 bytes each), and the fields of each sample.
 * The returned `offset` counts from the base; it is null if the samples begin where the last run ended.
 */
function readRun(content: Uint8Array, defaults: Defaults, onSamples: OnSamples) {
  const [flags, samples] = [contentView(content, 8).getUint32(0), contentView(content).getUint32(4)];
  const has = (flag: number): boolean => (flags & flag) !== 0;
  const firstAt = 8 + (has(RUN.offset) ? 4 : 0) + (has(RUN.firstFlags) ? 4 : 0);
  const bytesEach = 4 * PER_SAMPLE.filter(has).length;
  const view = contentView(content, firstAt + bytesEach * samples);
  const sizeAt = firstAt + (has(RUN.duration) ? 4 : 0);
  // The shift is the last field of a sample.
  const shiftAt = firstAt + bytesEach - 4;
  const isTimed = has(RUN.duration) || has(RUN.shift);
  let bytes = has(RUN.size) ? 0 : defaults.size * samples;
  if (!isTimed) onSamples(samples, defaults.duration, 0);
  if (has(RUN.size) || isTimed) {
    for (let at = 0; at < bytesEach * samples; at += bytesEach) {
      if (has(RUN.size)) bytes += view.getUint32(sizeAt + at);
      if (isTimed)
        onSamples(
          1,
          has(RUN.duration) ? view.getUint32(firstAt + at) : defaults.duration,
          has(RUN.shift) ? view.getInt32(shiftAt + at) : 0,
        );
    }
  }
  return { offset: has(RUN.offset) ? view.getInt32(8) : null, samples, bytes };
}
