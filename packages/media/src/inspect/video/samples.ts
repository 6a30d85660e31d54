import { Damaged } from '../bounded-reader.ts';
import { placedSamples, sampleTimes } from './sample-tables.ts';
import type { Skeleton } from './skeleton.ts';
import { timescaleOf, tracksOf } from './tracks.ts';

/** What all samples of a film come to. */
export interface FilmSamples {
  /** Of all tracks. */
  readonly bytes: number;
  /** Pictures a second, on average; null where there are no times. */
  readonly frameRate: number | null;
}

/**
 * Looks whether all samples are in the file, track by track; those of fragments the skeleton knows already. Throws `Damaged`
 * when one isn't or when there are none at all, and `Unreadable`.
 */
export async function measureSamples(skeleton: Skeleton): Promise<FilmSamples> {
  const { movie, main, reader, fragmented } = skeleton;
  let { samples, bytes } = fragmented;
  for (const track of tracksOf(movie)) {
    const times = await sampleTimes(reader, track);
    const placed = await placedSamples(reader, track, { times });
    samples += placed.samples;
    bytes += placed.bytes;
    if (track === main) fragmented.times.addAll(times);
  }
  if (samples === 0) throw new Damaged('The movie has no samples.');
  return { bytes, frameRate: fragmented.times.rate(timescaleOf(main)) };
}
