import type { BoundedReader } from './bounded-reader.ts';
import type { ParentBox } from './box-node.ts';
import { type Box, contentView } from './boxes.ts';
import { Unreadable } from './errors.ts';
import { TableWindow } from './table-window.ts';
import { tableOf } from './tracks.ts';

/**
 * Length of the header, which contains version and flags, the size of every sample or of a table entry, and the number
 * of samples (ISO/IEC 14496-12, section 8.7.3).
 */
const HEADER = 12;

/**
 * Returns the number of samples according to a track's table of sizes; null if it is missing or truncated.
 *
 * @throws whatever the reader throws
 */
export async function sampleCountOf(reader: BoundedReader, track: ParentBox): Promise<number | null> {
  const box = tableOf(track, 'stsz') ?? tableOf(track, 'stz2');
  if (box === null || box.end - box.start < HEADER) return null;
  const [, count = 0] = numbers(await reader.read(box.start, HEADER));
  return count;
}

export interface SoundSizes {
  /**
   * Returns the number of bytes of this many samples; null if the description of the sound doesn't state a sample's
   * size.
   */
  bytesOf(samples: number): number | null;
}

/** The sizes of samples: one for all, or a table (`stsz`, `stz2`). */
export class SampleSizes {
  private constructor(
    private readonly table: TableWindow | null,
    private equal: number,
    private readonly bytesOf: (samples: number) => number,
  ) {}

  static async open(
    reader: BoundedReader,
    tableOf: (type: string) => Box | null,
    sound: SoundSizes | null,
  ): Promise<SampleSizes | null> {
    const [plain, compact] = [tableOf('stsz'), tableOf('stz2')];
    const box = plain ?? compact;
    if (box === null) return null;
    if (box.end - box.start < HEADER) throw new Unreadable('A table is too short.');
    const [size = 0, count = 0] = numbers(await reader.read(box.start, HEADER));
    if (plain && size > 0) {
      return new SampleSizes(null, count, (samples) => {
        const described = sound?.bytesOf(samples) ?? null;
        // In old QuickTime videos the table gives each sound sample the size 1.
        if (size === 1) return described ?? samples;
        return Math.min(samples * size, described ?? Number.POSITIVE_INFINITY);
      });
    }
    const bits = plain ? 32 : size & 0xff;
    if (![4, 8, 16, 32].includes(bits)) throw new Unreadable('The width of the sample sizes is invalid.');
    return new SampleSizes(await TableWindow.open(reader, box, { header: HEADER, entry: bits }), 0, () => 0);
  }

  /** Number of samples that haven't been summed yet. */
  get left(): number {
    return this.table?.left ?? this.equal;
  }

  get buffered(): number {
    return this.table?.buffered ?? this.equal;
  }

  get isEmpty(): boolean {
    return this.table?.isEmpty ?? false;
  }

  async fill(): Promise<void> {
    await this.table?.fill();
  }

  /** Sums the sizes of this many samples. The sizes must be buffered. */
  sum(samples: number): number {
    if (this.table) return this.table.sum(samples);
    this.equal -= samples;
    return this.bytesOf(samples);
  }
}

function numbers(header: Uint8Array): readonly number[] {
  const view = contentView(header);
  return [view.getUint32(4), view.getUint32(8)];
}
