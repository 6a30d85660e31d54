import type { ByteSource, Inspection, MediaFacts, MediaInspector } from '@postshelf/domain';
import { Damaged, FIRST_FETCH, readBeginning, Unreadable, Unsupported } from '@postshelf/domain/formats';
import pLimit, { type LimitFunction } from 'p-limit';
import { ArrivingSource } from './arriving.ts';
import type { ImageType } from './dimensions.ts';
import { endsByMarker, type ImageFacts, isImageType, readArrivingImage, readImage } from './image.ts';
import { otherBeginning } from './other-types.ts';
import type { PixelCheck } from './pixels-decode.ts';
import { HEAD_LENGTH, recognise } from './recognise.ts';

/** Maximum number of concurrent inspections. A hostile file may need about 50 MB for a short time. */
const CONCURRENCY = 2;

export interface MediaInspectorOptions {
  /** Checks files that lack only their end marker. Default: such files count as damaged. */
  readonly pixelsDecode?: PixelCheck;
}

/**
 * Creates an inspector that reads type, dimensions and duration, and checks whether the file is complete. The cost is
 * bounded: an image is read once, to its end, and a video only up to 64 MiB, in pieces of at most 1 MiB. A file beyond
 * these limits is unreadable.
 */
export function createMediaInspector({ pixelsDecode }: MediaInspectorOptions = {}): MediaInspector {
  const limit = pLimit(CONCURRENCY);
  return {
    headLength: HEAD_LENGTH,
    recognise,
    inspect: (source) => inspect(source, limit, pixelsDecode),
    inspectWhile,
  };
}

async function inspect(file: ByteSource, limit: LimitFunction, pixelsDecode?: PixelCheck): Promise<Inspection> {
  const first = await file.read(0, FIRST_FETCH);
  const type = await recognise(first.subarray(0, HEAD_LENGTH));
  if (typeof type !== 'string') return type;
  const source = withFirst(file, first);
  try {
    if (isImageType(type)) return factsOf(type, await readImage(type, source, pixelsDecode));
    const beginning = await readBeginning(source);
    if (beginning === null || beginning === 'open') return null;
    if ('other' in beginning) return otherBeginning(beginning);
    // The module is loaded with the first video, because its parser would delay the start of the service.
    const { readVideo } = await import('./video/video.ts');
    return await limit(readVideo, beginning, source);
  } catch (error) {
    if (error instanceof Damaged) return 'damaged';
    if (error instanceof Unsupported) return { type, fault: error.message };
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

const inspectWhile: MediaInspector['inspectWhile'] = async (type, body, read) => {
  if (!endsByMarker(type)) return { result: await read(body), facts: null };
  const arriving = new ArrivingSource();
  const reading = readArrivingImage(type, arriving)
    // The error doesn't matter: without a result, the whole file is inspected later.
    .catch(() => null)
    .finally(() => arriving.leave());
  const result = await read(arriving.pass(body));
  const image = await reading;
  return { result, facts: image && factsOf(type, image) };
};

const factsOf = (type: ImageType, { width, height, details }: ImageFacts): MediaFacts => ({
  type,
  width,
  height,
  time: null,
  details: { image: details, video: null },
});

/** Returns a source that takes the first bytes from memory instead of reading them again. */
const withFirst = (file: ByteSource, first: Uint8Array): ByteSource => ({
  size: file.size,
  ...(file.path !== undefined && { path: file.path }),
  read: async (offset, length) =>
    Math.min(offset + length, file.size) <= first.length
      ? first.subarray(offset, offset + length)
      : file.read(offset, length),
});
