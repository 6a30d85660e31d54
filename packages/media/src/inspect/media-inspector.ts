import { type ByteSource, kindOf, type MediaFacts, type MediaInspector, type MediaType } from '@postshelf/domain';
import pLimit from 'p-limit';
import { Unreadable } from './bounded-reader.ts';
import { type ImageType, readImage } from './image.ts';
import { HEAD_LENGTH, recognise } from './recognise.ts';

/** Files parsed at once. Each may hold some 50 MB for a moment, if it was made to. */
const CONCURRENCY = 2;

/**
 * Reads type, dimensions and duration from the bytes. What one file may cost is bounded: 64 MiB read in all, in pieces
 * of at most 1 MiB, and no decoding. A file beyond the bounds counts as unreadable.
 */
export function createMediaInspector(): MediaInspector {
  const limit = pLimit(CONCURRENCY);
  return {
    headLength: HEAD_LENGTH,
    recognise,
    inspect: (source) => limit(inspect, source),
  };
}

async function inspect(source: ByteSource): Promise<MediaFacts | null> {
  const type = await recognise(await source.read(0, HEAD_LENGTH));
  if (type === null) return null;
  try {
    if (isImage(type)) return { type, ...(await readImage(type, source)), time: null };
    // Loaded with the first video: a start that waits for its parser answers later.
    const { readVideo } = await import('./video.ts');
    return { type, ...(await readVideo(type, source)) };
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

const isImage = (type: MediaType): type is ImageType => kindOf(type) === 'image';
