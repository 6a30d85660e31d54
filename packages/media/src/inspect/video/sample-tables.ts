import { type BoundedReader, Damaged } from '../bounded-reader.ts';
import { type ParentBox, uint64 } from '../boxes.ts';
import { SampleDescriptions } from './descriptions.ts';
import { FrameTimes } from './frame-times.ts';
import { SampleSizes } from './sample-sizes.ts';
import { TableWindow } from './table-window.ts';
import { tableOf } from './tracks.ts';

/** Sums up the durations in `stts` (ISO/IEC 14496-12, section 8.6.1). Throws `Damaged` and `Unreadable`. */
export async function sampleTimes(reader: BoundedReader, track: ParentBox): Promise<FrameTimes> {
  const times = new FrameTimes();
  const box = tableOf(track, 'stts');
  if (box === null) return times;
  const runs = await TableWindow.open(reader, box, { header: 8, entry: 64 });
  while (runs.left > 0) {
    if (runs.isEmpty) await runs.fill();
    const at = runs.take();
    times.add(runs.view.getUint32(at), runs.view.getUint32(at + 4));
  }
  return times;
}

/** Samples with a place in the file, and their bytes. */
export interface PlacedSamples {
  readonly samples: number;
  readonly bytes: number;
}

/**
 * Walks the chunks of a track together with the sizes of the samples in them (section 8.7). Throws `Damaged` if one
 * reaches past the end of the file; chunks in other files can't be checked.
 */
export async function placedSamples(
  reader: BoundedReader,
  track: ParentBox,
  times: FrameTimes,
): Promise<PlacedSamples> {
  const descriptions = new SampleDescriptions(track);
  const sizes = await SampleSizes.open(reader, track, times.isOne(1) ? descriptions : null);
  const offsets = await openOffsets(reader, track);
  const runs = await ChunkRuns.open(reader, track);
  let [samples, bytes] = [0, 0];
  if (sizes === null || offsets === null || runs === null) return { samples, bytes };
  for (let chunk = 1; offsets.left > 0 && sizes.left > 0; chunk += 1) {
    if (offsets.isEmpty) await offsets.fill();
    const at = offsets.take();
    const start = offsets.bits === 64 ? uint64(offsets.view, at) : offsets.view.getUint32(at);
    while (runs.nextChunk <= chunk) {
      if (runs.isEmpty) await runs.fill();
      runs.advance();
    }
    const inChunk = Math.min(runs.samples, sizes.left);
    let length = 0;
    for (let rest = inChunk; rest > 0; ) {
      if (sizes.isEmpty) await sizes.fill();
      const some = Math.min(rest, sizes.buffered);
      length += sizes.sum(some);
      rest -= some;
    }
    if (length > 0 && start + length > reader.size && !descriptions.isElsewhere(runs.description))
      throw new Damaged('Samples are behind the end of the file.');
    samples += inChunk;
    bytes += length;
  }
  return { samples, bytes };
}

async function openOffsets(reader: BoundedReader, track: ParentBox): Promise<TableWindow | null> {
  const [short, long] = [tableOf(track, 'stco'), tableOf(track, 'co64')];
  if (short) return TableWindow.open(reader, short, { header: 8, entry: 32 });
  return long && TableWindow.open(reader, long, { header: 8, entry: 64 });
}

/** Runs of chunks with the same number of samples each (`stsc`). Entries that go backwards apply to no chunk. */
class ChunkRuns {
  /** Samples in each chunk of this run. */
  samples = 0;
  /** The description of these samples, counted from 1. */
  description = 1;
  /** The first chunk of the next run. */
  nextChunk = 1;
  #next = { samples: 0, description: 1 };

  private constructor(private readonly table: TableWindow) {}

  static async open(reader: BoundedReader, track: ParentBox): Promise<ChunkRuns | null> {
    const box = tableOf(track, 'stsc');
    return box && new ChunkRuns(await TableWindow.open(reader, box, { header: 8, entry: 96 }));
  }

  get isEmpty(): boolean {
    return this.table.left > 0 && this.table.isEmpty;
  }

  async fill(): Promise<void> {
    await this.table.fill();
  }

  /** Moves to the next run. */
  advance(): void {
    ({ samples: this.samples, description: this.description } = this.#next);
    this.nextChunk = Number.POSITIVE_INFINITY;
    if (this.table.left === 0) return;
    const [at, view] = [this.table.take(), this.table.view];
    this.nextChunk = view.getUint32(at);
    this.#next = { samples: view.getUint32(at + 4), description: view.getUint32(at + 8) };
  }
}
