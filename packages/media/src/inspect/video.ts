import type { ByteSource, MediaType } from '@postshelf/domain';
import { BufferSource, Input, type InputVideoTrack, Logging, LogLevel, MP4, QTFF } from 'mediabunny';
import { BoundedReader, Unreadable } from './bounded-reader.ts';
import { type BoxNode, contentAt, serialiseBoxes, viewOf } from './boxes.ts';
import { checkedDimensions, type Dimensions } from './dimensions.ts';
import { readSkeleton, type Skeleton } from './skeleton.ts';

export type VideoType = Extract<MediaType, `video/${string}`>;

/** Box headers are small and far from each other: of three hours of video in 1-second fragments 11 MB are read. */
const LIMITS = { budget: 64 * 1024 * 1024, window: 1024 };

const MAX_SECONDS = 2 ** 31 - 1;

export interface VideoFacts extends Dimensions {
  /** Whole seconds, at least 1. */
  readonly time: number;
}

/**
 * A video's dimensions, rotation and pixel shape applied, and its duration. Throws `Unreadable` when it has no video
 * track or no duration, and what `source.read` throws.
 */
export async function readVideo(type: VideoType, source: ByteSource): Promise<VideoFacts> {
  const skeleton = await readSkeleton(new BoundedReader(source, LIMITS));
  return interpret(type, skeleton);
}

/** mediabunny makes sense of the skeleton; of a whole hostile file it would believe too much. */
async function interpret(type: VideoType, skeleton: Skeleton): Promise<VideoFacts> {
  // It warns of every codec that it doesn't know: nothing to anybody here.
  Logging.level = LogLevel.Silent;
  using input = new Input({ source: new BufferSource(fileOf(type, skeleton)), formats: [MP4, QTFF] });
  try {
    const [track] = await input.getVideoTracks();
    if (track === undefined) throw new Unreadable('The file has no video track.');
    const { width, height } = checkedDimensions(await track.getDisplayWidth(), await track.getDisplayHeight());
    const seconds = await durationOf(skeleton, track);
    if (!(seconds > 0 && seconds <= MAX_SECONDS)) throw new Unreadable('The video has no duration.');
    return { width, height, time: Math.max(1, Math.round(seconds)) };
  } catch (error) {
    // The bytes are in memory: whatever goes wrong, they are the reason.
    throw new Unreadable('The video does not parse.', { cause: error });
  }
}

function fileOf(type: VideoType, { movie, fragments }: Skeleton): Uint8Array {
  const brand = type === 'video/quicktime' ? 'qt  ' : 'isom';
  const content = new TextEncoder().encode(`${brand}\0\0\0\0${brand}`);
  return serialiseBoxes([{ type: 'ftyp', content }, movie, ...fragments]);
}

/** Seconds. The movie header tells what a player shows, but knows nothing of fragments that come after it. */
async function durationOf(skeleton: Skeleton, track: InputVideoTrack): Promise<number> {
  const announced = movieDuration(skeleton.movie);
  if (skeleton.fragments.length > 0) return Math.max(announced, await track.computeDuration());
  return announced > 0 ? announced : ((await track.getDurationFromMetadata()) ?? 0);
}

/** Seconds; 0 when the header leaves it open: all bits set, or none (ISO/IEC 14496-12, section 8.2.2). */
function movieDuration(movie: BoxNode): number {
  const content = contentAt(movie, 'mvhd');
  if (content === undefined) return 0;
  const view = viewOf(content, 32);
  if (view.getUint8(0) === 1) {
    const duration = view.getBigUint64(24);
    return duration === 0xffffffffffffffffn ? 0 : seconds(Number(duration), view.getUint32(20));
  }
  const duration = view.getUint32(16);
  return duration === 0xffffffff ? 0 : seconds(duration, view.getUint32(12));
}

const seconds = (units: number, timescale: number): number => (timescale > 0 ? units / timescale : 0);
