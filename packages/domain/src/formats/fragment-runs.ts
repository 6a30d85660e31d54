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

export interface FragmentSamples {
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
   * @param offset where the fragment begins in the file
   * @throws Damaged if a run extends beyond the file; Unreadable
   */
  async *of(fragment: ParentBox, offset: number): AsyncGenerator<FragmentSamples> {
    let implicit = offset;
    for (const child of fragment.children) {
      if (!('children' in child)) continue;
      const { end, ...samples } = await this.#ofTrack(child, offset, implicit);
      implicit = end;
      yield samples;
    }
  }

  async #ofTrack(fragment: ParentBox, offset: number, implicit: number): Promise<FragmentSamples & { end: number }> {
    const { track, base, defaults } = this.#header(fragment, offset, implicit);
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

  #header(fragment: ParentBox, offset: number, implicit: number) {
    const content = contentAt(fragment, 'tfhd') ?? new Uint8Array();
    const [flags, track] = [contentView(content, 8).getUint32(0), contentView(content).getUint32(4)];
    const ofTrack = this.#defaults.get(track) ?? { duration: 0, size: 0 };
    const has = (flag: number): boolean => (flags & flag) !== 0;
    const description = has(HEADER.offset) ? 16 : 8;
    const duration = description + (has(HEADER.description) ? 4 : 0);
    const size = duration + (has(HEADER.duration) ? 4 : 0);
    const view = contentView(content, size + (has(HEADER.size) ? 4 : 0));
    const base = has(HEADER.offset) ? uint64(view, 8) : has(HEADER.baseIsMoof) ? offset : implicit;
    const defaults = {
      duration: has(HEADER.duration) ? view.getUint32(duration) : ofTrack.duration,
      size: has(HEADER.size) ? view.getUint32(size) : ofTrack.size,
    };
    return { track, base, defaults };
  }
}

/** Reads the decode time of a fragment's first sample (`tfdt`, section 8.8.12). */
function decodeTime(content: Uint8Array): number {
  const view = contentView(content, 8);
  if (view.getUint8(0) !== 1) return view.getUint32(4);
  return uint64(contentView(content, 12), 4);
}

/** @param shift time from decoding to display */
type OnSamples = (samples: number, each: number, shift: number) => void;

/**
 * Reads a run. The returned `offset` counts from the base; it is null if the samples begin where the last run ended.
 */
function readRun(content: Uint8Array, defaults: Defaults, onSamples: OnSamples) {
  const [flags, samples] = [contentView(content, 8).getUint32(0), contentView(content).getUint32(4)];
  const has = (flag: number): boolean => (flags & flag) !== 0;
  const first = 8 + (has(RUN.offset) ? 4 : 0) + (has(RUN.firstFlags) ? 4 : 0);
  const each = 4 * PER_SAMPLE.filter(has).length;
  const view = contentView(content, first + each * samples);
  const size = first + (has(RUN.duration) ? 4 : 0);
  const shift = first + each - 4;
  const isTimed = has(RUN.duration) || has(RUN.shift);
  let bytes = has(RUN.size) ? 0 : defaults.size * samples;
  if (!isTimed) onSamples(samples, defaults.duration, 0);
  if (has(RUN.size) || isTimed) {
    for (let at = 0; at < each * samples; at += each) {
      if (has(RUN.size)) bytes += view.getUint32(size + at);
      if (isTimed)
        onSamples(
          1,
          has(RUN.duration) ? view.getUint32(first + at) : defaults.duration,
          has(RUN.shift) ? view.getInt32(shift + at) : 0,
        );
    }
  }
  return { offset: has(RUN.offset) ? view.getInt32(8) : null, samples, bytes };
}
