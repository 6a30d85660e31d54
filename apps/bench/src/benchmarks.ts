import type { Benchmark } from './benchmark.ts';
import { http } from './http/http.ts';

/** Every benchmark by the name it is asked for with, in the order in which all run. */
export const BENCHMARKS: Readonly<Record<string, Benchmark>> = { http };
