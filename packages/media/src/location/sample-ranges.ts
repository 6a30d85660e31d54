import { viewOf } from '../inspect/boxes.ts';
import type { Cursor } from './cursor.ts';
import type { PlacedBox } from './movie-box.ts';
import { BeyondBounds } from './patch-list.ts';

/** Bytes of a file, from `start` to before `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Most chunks of one track. One position every 10 ms makes a million samples in three hours, in chunks of half a
 * second.
 */
const MAX_CHUNKS = 50_000;
const MAX_SAMPLES = 1_200_000;

const CHUNK_RUN_LENGTH = 12;

/**
 * Where the samples of a track are, chunk by chunk (ISO/IEC 14496-12, section 8.7). A table that ends early yields
 * fewer.
 *
 * @param tables the boxes in `stbl`, by type
 * @param base where the movie begins; offsets count from there
 * @throws BeyondBounds if there are more chunks or samples than a track of positions has
 */
export async function sampleRanges(
  cursor: Cursor,
  tables: ReadonlyMap<string, PlacedBox>,
  base: number,
): Promise<readonly Range[]> {
  const offsets = await readOffsets(cursor, tables);
  const runs = await readRuns(cursor, tables);
  const sizeOf = await readSizes(cursor, tables);
  const ranges: Range[] = [];
  let sample = 0;
  let run = 0;
  for (const [index, offset] of offsets.entries()) {
    await cursor.next();
    // Chunks are counted from 1; each run lasts until the next begins.
    while ((runs[run + 1]?.firstChunk ?? Number.POSITIVE_INFINITY) <= index + 1) run += 1;
    const count = runs[run]?.samples ?? 0;
    if (sample + count > MAX_SAMPLES) throw new BeyondBounds('Too many samples.');
    const start = base + offset;
    let end = start;
    for (let left = count; left > 0; left -= 1) {
      end += sizeOf(sample);
      sample += 1;
    }
    ranges.push({ start, end });
  }
  return ranges;
}

async function readOffsets(cursor: Cursor, tables: ReadonlyMap<string, PlacedBox>): Promise<readonly number[]> {
  const isLong = tables.has('co64');
  const { view, count } = await readTable(cursor, tables.get(isLong ? 'co64' : 'stco'), 4, isLong ? 8 : 4, MAX_CHUNKS);
  return Array.from({ length: count }, (_, index) =>
    isLong ? Number(view.getBigUint64(8 * index)) : view.getUint32(4 * index),
  );
}

async function readRuns(cursor: Cursor, tables: ReadonlyMap<string, PlacedBox>) {
  const { view, count } = await readTable(cursor, tables.get('stsc'), 4, CHUNK_RUN_LENGTH, MAX_CHUNKS);
  return Array.from({ length: count }, (_, index) => ({
    firstChunk: view.getUint32(CHUNK_RUN_LENGTH * index),
    samples: view.getUint32(CHUNK_RUN_LENGTH * index + 4),
  }));
}

/** Looks up the size of a sample by its number; 0 for one that isn't in the table. */
async function readSizes(cursor: Cursor, tables: ReadonlyMap<string, PlacedBox>): Promise<(sample: number) => number> {
  const compact = tables.get('stz2');
  const plain = tables.get('stsz');
  const box = compact ?? plain;
  if (!box || box.end - box.start < 12) return () => 0;
  const head = viewOf(await cursor.copy(box.start, 12));
  const [common, total] = [head.getUint32(4), head.getUint32(8)];
  if (!compact && common > 0) return (sample) => (sample < total ? common : 0);
  // Sizes of 4, 8 or 16 bits, or of 32.
  const bits = compact ? common & 0xff : 32;
  const { view, count } = await readTable(cursor, box, 8, bits / 8, MAX_SAMPLES);
  return (sample) => {
    if (sample >= count) return 0;
    if (bits === 32) return view.getUint32(4 * sample);
    if (bits === 16) return view.getUint16(2 * sample);
    if (bits === 8) return view.getUint8(sample);
    const two = view.getUint8(sample >> 1);
    return sample % 2 === 0 ? two >> 4 : two & 0x0f;
  };
}

/** The entries of a table. Before them are its version, `before` bytes, and their number. */
async function readTable(
  cursor: Cursor,
  box: PlacedBox | undefined,
  before: number,
  entryLength: number,
  most: number,
): Promise<{ readonly view: DataView; readonly count: number }> {
  const start = (box?.start ?? 0) + before + 4;
  if (!box || box.end < start) return { view: new DataView(new ArrayBuffer(0)), count: 0 };
  const claimed = viewOf(await cursor.copy(start - 4, 4)).getUint32(0);
  const count = Math.min(claimed, Math.floor((box.end - start) / entryLength));
  if (count > most) throw new BeyondBounds('Too many entries.');
  return { view: viewOf(await cursor.copy(start, Math.ceil(count * entryLength))), count };
}
