import type { Benchmark } from './benchmark.ts';
import { bestTimes } from './best-times/best-times.ts';
import { binary } from './binary/binary.ts';
import { download } from './download/download.ts';
import { events } from './events/events.ts';
import { heatmap } from './heatmap/heatmap.ts';
import { http } from './http/http.ts';
import { imports } from './imports/imports.ts';
import { jobs } from './jobs/jobs.ts';
import { ndjson } from './ndjson/ndjson.ts';
import { pages } from './pages/pages.ts';
import { postgres } from './postgres/postgres.ts';
import { previews } from './previews/previews.ts';
import { scale } from './scale/scale.ts';
import { tus } from './tus/tus.ts';
import { hangingBucket } from './uploads/hanging-bucket.ts';
import { uploadLarge } from './uploads/upload-large.ts';
import { uploadMemory } from './uploads/upload-memory.ts';
import { uploadVideo } from './uploads/upload-video.ts';
import { uploads } from './uploads/uploads.ts';

/** All benchmarks by name, in the order in which they run. */
export const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  binary,
  http,
  heatmap,
  'best-times': bestTimes,
  ndjson,
  events,
  scale,
  uploads,
  'upload-large': uploadLarge,
  'upload-video': uploadVideo,
  'upload-memory': uploadMemory,
  'hanging-bucket': hangingBucket,
  tus,
  download,
  imports,
  jobs,
  postgres,
  previews,
  pages,
};
