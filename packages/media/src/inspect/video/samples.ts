import { Damaged, timescaleOf, tracksOf } from '@postshelf/domain/formats';
import { placedSamples, sampleTimes } from './sample-tables.ts';
import type { Skeleton } from './skeleton.ts';

export interface SampleFigures {
  readonly bytes: number;
  /** Pictures per second, on average; null if there are no times. */
  readonly frameRate: number | null;
}

/** Checks that all samples are in the file. Throws `Damaged` if not, or if there are none at all, and `Unreadable`. */
export async function measureSamples(skeleton: Skeleton): Promise<SampleFigures> {
  const { movie, main, reader, fragmented } = skeleton;
  let { samples, bytes } = fragmented;
  for (const track of tracksOf(movie)) {
    const times = await sampleTimes(reader, track);
    const placed = await placedSamples(reader, track, times);
    samples += placed.samples;
    bytes += placed.bytes;
    if (track === main) fragmented.times.addAll(times);
  }
  if (samples === 0) throw new Damaged('The movie has no samples.');
  return { bytes, frameRate: fragmented.times.rate(timescaleOf(main)) };
}
