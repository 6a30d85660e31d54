import type { Benchmark } from './benchmark.ts';
import { binary } from './binary/binary.ts';
import { estimator } from './estimator/estimator.ts';
import { heatmap } from './heatmap/heatmap.ts';
import { http } from './http/http.ts';
import { ndjson } from './ndjson/ndjson.ts';
import { scale } from './scale/scale.ts';

/** Every benchmark by the name it is asked for with, in the order in which all run. */
export const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  binary,
  http,
  estimator,
  heatmap,
  ndjson,
  scale,
};
