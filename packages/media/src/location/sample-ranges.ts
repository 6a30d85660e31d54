import { type Box, SampleChunks } from '@postshelf/domain/formats';
import type { Cursor } from './cursor.ts';
import { BeyondBounds } from './patch-list.ts';

export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Maximum numbers of chunks and samples. Three hours with a position every 10 ms have about a million samples; in
 * chunks of half a second, these are about 20,000 chunks.
 */
const MAX_CHUNKS = 50_000;
const MAX_SAMPLES = 1_200_000;

/**
 * Returns where the samples of a track are.
 *
 * @param tables the boxes in `stbl`, by type
 * @param base the position at which the movie begins; offsets count from there
 * @throws BeyondBounds if there are more chunks or samples than a track of positions has; Damaged, Unreadable
 */
export async function sampleRanges(
  cursor: Cursor,
  tables: ReadonlyMap<string, Box>,
  base: number,
): Promise<readonly Range[]> {
  const chunks = await SampleChunks.open(cursor.reader, (type) => tables.get(type) ?? null, null);
  const ranges: Range[] = [];
  if (chunks === null) return ranges;
  if (chunks.left > MAX_CHUNKS) throw new BeyondBounds('Too many entries.');
  let samples = 0;
  for (const chunk of chunks) {
    if ('fill' in chunk) {
      await chunk.fill();
      continue;
    }
    await cursor.nextPiece();
    samples += chunk.samples;
    if (samples > MAX_SAMPLES) throw new BeyondBounds('Too many samples.');
    ranges.push({ start: base + chunk.start, end: base + chunk.start + chunk.length });
  }
  return ranges;
}
