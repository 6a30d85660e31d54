import type { ByteSource, VideoDetails } from '@postshelf/domain';
import {
  BoundedReader,
  chromaOf,
  Damaged,
  hasEdits,
  hdrOf,
  type MovieBeginning,
  type ParentBox,
  readSound,
  shownSeconds,
  timescaleOf,
  trackSkeleton,
  tracksOf,
  Unreadable,
  Unsupported,
  wholeOrNull,
} from '@postshelf/domain/formats';
import { BufferSource, Input, Logging, LogLevel, MP4, QTFF } from 'mediabunny';
import { checkedDimensions, type Dimensions } from '../dimensions.ts';
import { THREE_GP } from '../other-types.ts';
import { SampleDescriptions } from './descriptions.ts';
import { readSkeleton, type Skeleton } from './skeleton.ts';

type VideoType = MovieBeginning['type'];

/** Limits in bytes. Three hours of video in fragments of one second each need 11 MB of the budget. */
const LIMITS = { budget: 64 * 1024 * 1024, window: 1024 };

const MAX_SECONDS = 2 ** 31 - 1;

export interface VideoFacts extends Dimensions {
  readonly type: MovieBeginning['type'];
  /** The duration in whole seconds, at least 1. */
  readonly time: number;
  readonly details: { readonly image: null; readonly video: VideoDetails };
}

/**
 * Reads the properties of a video. Its width and height are those that players show, after rotation and pixel aspect
 * ratio.
 *
 * @throws Damaged if the media data isn't complete; Unsupported if there is no video track or it is encrypted;
 *   Unreadable if the video has no duration; whatever `source.read` throws
 */
export async function readVideo({ type, is3gp }: MovieBeginning, source: ByteSource): Promise<VideoFacts> {
  const skeleton = await readSkeleton(new BoundedReader(source, LIMITS));
  refuseEncrypted(skeleton.movie);
  const { bytes, frameRate } = measureSamples(skeleton);
  const { width, height, seconds, codec, rotation } = await readVideoTrack(type, skeleton);
  if (is3gp && !MP4_CODECS.has(codec)) throw new Unsupported(THREE_GP);
  const video: VideoDetails = {
    codec,
    durationMs: Math.max(1, Math.round(seconds * 1000)),
    frameRate,
    // In crafted files, samples may overlap, so that together they claim more bytes than the file has.
    bitrate: wholeOrNull((Math.min(bytes, source.size) * 8) / seconds),
    chroma: chromaOf(skeleton.main),
    rotation,
    moovFirst: skeleton.moovFirst,
    editList: hasEdits(skeleton.movie),
    hdr: hdrOf(skeleton.main),
    audio: await readSound(skeleton.movie, (track) => inputOf(type, skeleton.movie, track)),
  };
  return { type, width, height, time: Math.max(1, Math.round(seconds)), details: { image: null, video } };
}

/** Codecs that make a file an MP4 even if it has a 3GP brand, as recordings of Android cameras do. */
const MP4_CODECS: ReadonlySet<string | null> = new Set(['avc', 'hevc', 'vp9', 'av1']);

function refuseEncrypted(movie: ParentBox): void {
  const schemes = tracksOf(movie).map((track) => new SampleDescriptions(track).encryption);
  const scheme = schemes.find((name) => name !== null);
  if (scheme === undefined) return;
  throw new Unsupported(
    `is encrypted (${scheme}), and nothing plays it without the key. Upload it without encryption.`,
  );
}

/** Reads the video track. mediabunny gets only the skeleton, because it would trust a hostile file too much. */
async function readVideoTrack(type: VideoType, skeleton: Skeleton) {
  using input = inputOf(type, skeleton.movie, skeleton.main);
  try {
    const [track] = await input.getVideoTracks();
    if (track === undefined) throw new Unreadable('The file has no video track.');
    const dimensions = checkedDimensions(await track.getDisplayWidth(), await track.getDisplayHeight());
    const seconds = shownSeconds(skeleton.movie, skeleton.main, skeleton.spans);
    if (!(seconds > 0 && seconds <= MAX_SECONDS)) throw new Unreadable('The video has no duration.');
    return { ...dimensions, seconds, codec: await track.getCodec(), rotation: await track.getRotation() };
  } catch (error) {
    // The bytes are in memory, so every error is due to their content.
    throw new Unreadable('The video cannot be parsed.', { cause: error });
  }
}

function inputOf(type: VideoType, movie: ParentBox, track: ParentBox): Input {
  // mediabunny warns of every codec that it doesn't know.
  Logging.level = LogLevel.Silent;
  const file = trackSkeleton(movie, track, type);
  return new Input({ source: new BufferSource(file), formats: [MP4, QTFF] });
}

interface SampleFigures {
  readonly bytes: number;
  /** Average frames per second; null if there are no times. */
  readonly frameRate: number | null;
}

/** Adds up the samples of the movie box and of the fragments. Throws `Damaged` if there are none at all. */
function measureSamples({ movie, main, fragmented, tables }: Skeleton): SampleFigures {
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
