import type { VideoDetails } from '@postshelf/domain/readiness';
import { BlobSource, Input, type InputVideoTrack, Logging, LogLevel, MP4, QTFF } from 'mediabunny';
import { type FileReader, UnreadableFile } from './file-reader.ts';
import { readMovieBoxes } from './movie-boxes.ts';

/** The facts in a video's headers. Width and height are as displayed, after rotation. */
export interface VideoHeader {
  readonly width: number;
  readonly height: number;
  readonly details: VideoDetails;
}

/** Frames that the frame rate is computed from: more than a minute's at 30 per second. */
const SOME_FRAMES = 2000;

/** @throws UnreadableFile if there is no video track */
export async function videoHeader(reader: FileReader): Promise<VideoHeader> {
  const boxes = await readMovieBoxes(reader);
  // mediabunny would log a warning for every unknown codec, in the page's console.
  Logging.level = LogLevel.Silent;
  using input = new Input({ source: new BlobSource(reader.file), formats: [MP4, QTFF] });
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
      bitrate: durationMs ? Math.round((reader.size * 8000) / durationMs) : null,
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

/** Chroma subsampling, indexed by `chroma_format_idc` (ITU-T H.264, table 6-1; the same in H.265). */
const FORMATS = ['4:0:0', '4:2:0', '4:2:2', '4:4:4'];

/** AVC profiles that only allow 4:2:0. Others state the format after the parameter sets. */
const PLAIN_PROFILES = new Set([66, 77, 88]);

/** Chroma subsampling from the codec's configuration; null if it isn't stated there. */
async function chromaOf(track: InputVideoTrack): Promise<string | null> {
  const codec = await track.getCodec();
  const description = (await track.getDecoderConfig())?.description;
  if (!description) return null;
  const bytes = ArrayBuffer.isView(description)
    ? new Uint8Array(description.buffer, description.byteOffset, description.byteLength)
    : new Uint8Array(description);
  // The byte after the parallelism type (ISO/IEC 14496-15, section 8.3.3).
  if (codec === 'hevc') return bytes[16] === undefined ? null : (FORMATS[bytes[16] & 3] ?? null);
  if (codec !== 'avc' || bytes[1] === undefined) return null;
  return PLAIN_PROFILES.has(bytes[1]) ? '4:2:0' : chromaAfterParameterSets(bytes);
}

/**
 * Chroma subsampling, stated after the parameter sets of an AVC configuration (ISO/IEC 14496-15, section 5.3.3.1); null
 * if the configuration ends before.
 */
function chromaAfterParameterSets(bytes: Uint8Array): string | null {
  let at = 5;
  for (const mask of [0x1f, 0xff]) {
    const sets = (bytes[at] ?? 0) & mask;
    at += 1;
    for (let set = 0; set < sets; set++) at += 2 + (((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0));
  }
  const format = bytes[at];
  return format === undefined ? null : (FORMATS[format & 3] ?? null);
}
