import type { BoundedReader } from './bounded-reader.ts';
import { type Box, uint64 } from './boxes.ts';
import { SampleSizes, type SoundSizes } from './sample-sizes.ts';
import { TableWindow } from './table-window.ts';

/** Consecutive samples of a track (ISO/IEC 14496-12, section 8.7). */
export interface SampleChunk {
  /** The offset according to the table, and the number of bytes from there. */
  readonly start: number;
  readonly length: number;
  readonly samples: number;
  /** The number of the samples' description in `stsd`, counted from 1. */
  readonly description: number;
}

interface Fillable {
  fill(): Promise<void>;
}

/** The chunks of a track, with the sizes of the samples in them. */
export class SampleChunks {
  private constructor(
    private readonly offsets: TableWindow,
    private readonly runs: ChunkRuns,
    private readonly sizes: SampleSizes,
  ) {}

  /**
   * Opens the tables of a track; null if one is missing. Throws `Damaged` if a table claims more entries than it can
   * contain, and `Unreadable` if a table's header is invalid.
   *
   * @param tableOf returns the box of this type in `stbl`
   * @param sound sizes for sound that consists of single samples instead of packets; null for all other tracks
   */
  static async open(
    reader: BoundedReader,
    tableOf: (type: string) => Box | null,
    sound: SoundSizes | null,
  ): Promise<SampleChunks | null> {
    const sizes = await SampleSizes.open(reader, tableOf, sound);
    const [short, long, runs] = [tableOf('stco'), tableOf('co64'), tableOf('stsc')];
    const box = short ?? long;
    if (sizes === null || box === null || runs === null) return null;
    const offsets = await TableWindow.open(reader, box, { header: 8, entry: short ? 32 : 64 });
    return new SampleChunks(offsets, await ChunkRuns.open(reader, runs), sizes);
  }

  /** Upper limit of the number of remaining chunks. */
  get left(): number {
    return this.offsets.left;
  }

  /** Iterates the chunks. It may also yield a table, which must be filled before the next step. */
  *[Symbol.iterator](): Generator<SampleChunk | Fillable> {
    const { offsets, runs, sizes } = this;
    for (let chunk = 1; offsets.left > 0 && sizes.left > 0; chunk += 1) {
      if (offsets.isEmpty) yield offsets;
      const at = offsets.take();
      const start = offsets.bits === 64 ? uint64(offsets.view, at) : offsets.view.getUint32(at);
      while (runs.nextChunk <= chunk) {
        if (runs.isEmpty) yield runs;
        runs.advance();
      }
      const samples = Math.min(runs.samples, sizes.left);
      let length = 0;
      for (let rest = samples; rest > 0; ) {
        if (sizes.isEmpty) yield sizes;
        const some = Math.min(rest, sizes.buffered);
        length += sizes.sum(some);
        rest -= some;
      }
      yield { start, length, samples, description: runs.description };
    }
  }
}

/** Reads `stsc`. An entry applies to no chunk if the next entry doesn't start at a later chunk. */
class ChunkRuns {
  samples = 0;
  description = 1;
  /** The first chunk of the next run. */
  nextChunk = 1;
  #next = { samples: 0, description: 1 };

  private constructor(private readonly table: TableWindow) {}

  static async open(reader: BoundedReader, box: Box): Promise<ChunkRuns> {
    return new ChunkRuns(await TableWindow.open(reader, box, { header: 8, entry: 96 }));
  }

  get isEmpty(): boolean {
    return this.table.left > 0 && this.table.isEmpty;
  }

  async fill(): Promise<void> {
    await this.table.fill();
  }

  advance(): void {
    ({ samples: this.samples, description: this.description } = this.#next);
    this.nextChunk = Number.POSITIVE_INFINITY;
    if (this.table.left === 0) return;
    const [at, view] = [this.table.take(), this.table.view];
    this.nextChunk = view.getUint32(at);
    this.#next = { samples: view.getUint32(at + 4), description: view.getUint32(at + 8) };
  }
}
