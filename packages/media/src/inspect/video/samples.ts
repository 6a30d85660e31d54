import { Damaged, timescaleOf, tracksOf } from '@postshelf/domain/formats';
import type { Skeleton } from './skeleton.ts';

export interface SampleFigures {
  readonly bytes: number;
  /** Average frames per second; null if there are no times. */
  readonly frameRate: number | null;
}

/** Sums up the samples of the movie box and of the fragments. Throws `Damaged` if there are none at all. */
export function measureSamples({ movie, main, fragmented, tables }: Skeleton): SampleFigures {
  let { samples, bytes } = fragmented;
  for (const track of tracksOf(movie)) {
    const table = tables.get(track);
    samples += table?.samples ?? 0;
    bytes += table?.bytes ?? 0;
    if (track === main && table) fragmented.times.addAll(table.times);
  }
  if (samples === 0) throw new Damaged('The movie has no samples.');
  return { bytes, frameRate: fragmented.times.rate(timescaleOf(main)) };
}
