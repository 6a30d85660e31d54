import { CHROMA_OF_BOX } from '@postshelf/domain/formats';
import type { VideoDetails } from '@postshelf/domain/readiness';
import { BlobSource, Input, type InputVideoTrack, Logging, LogLevel, MP4, QTFF } from 'mediabunny';
import { readMovieBoxes } from './movie-boxes.ts';
import { UnreadableFile } from './unreadable-file.ts';

/** Width and height are as displayed, after rotation. */
export interface VideoHeader {
  readonly width: number;
  readonly height: number;
  readonly details: VideoDetails;
}

/** For the frame rate: more than a minute's at 30 per second. */
const SOME_FRAMES = 2000;

/** @throws UnreadableFile if there is no video track */
export async function videoHeader(file: Blob): Promise<VideoHeader> {
  const boxes = await readMovieBoxes(file);
  // mediabunny warns of every unknown codec, in the page's console.
  Logging.level = LogLevel.Silent;
  using input = new Input({ source: new BlobSource(file), formats: [MP4, QTFF] });
  const track = await input.getPrimaryVideoTrack();
  if (!track) throw new UnreadableFile('The file has no video track.');
  const sound = await input.getPrimaryAudioTrack();
  const isOpen = boxes.durationMs === null || boxes.isFragmented;
  const durationMs = isOpen ? Math.round((await input.computeDuration()) * 1000) : boxes.durationMs;
  return {
    width: await track.getDisplayWidth(),
    height: await track.getDisplayHeight(),
    details: {
      codec: await track.getCodec(),
      durationMs,
      frameRate: (await track.computePacketStats(SOME_FRAMES)).averagePacketRate || null,
      bitrate: durationMs ? Math.round((file.size * 8000) / durationMs) : null,
      chroma: await chromaOf(track),
      rotation: await track.getRotation(),
      moovFirst: boxes.moovFirst,
      editList: boxes.editList,
      audio: sound && {
        codec: await sound.getCodec(),
        sampleRate: await sound.getSampleRate(),
        channels: await sound.getNumberOfChannels(),
      },
    },
  };
}

const BOX_OF_CODEC: Readonly<Record<string, string>> = { avc: 'avcC', hevc: 'hvcC' };

/** null if it isn't stated in the codec's configuration. */
async function chromaOf(track: InputVideoTrack): Promise<string | null> {
  const box = BOX_OF_CODEC[(await track.getCodec()) ?? ''] ?? '';
  const description = (await track.getDecoderConfig())?.description;
  if (!description) return null;
  const bytes = ArrayBuffer.isView(description)
    ? new Uint8Array(description.buffer, description.byteOffset, description.byteLength)
    : new Uint8Array(description);
  return CHROMA_OF_BOX[box]?.(bytes) ?? null;
}
