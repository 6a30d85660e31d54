import type { MediaType } from '@postshelf/domain';
import { MAX_PIXELS, VIDEO_DECODERS } from '../covers/decoders.ts';

/** Audio codecs that may be decoded. */
const SOUND_DECODERS = [
  'aac',
  'mp3',
  'mp3float',
  'ac3',
  'eac3',
  'alac',
  'flac',
  'opus',
  'libopus',
  'vorbis',
  'pcm_s8',
  'pcm_u8',
  'pcm_s16le',
  'pcm_s16be',
  'pcm_s24le',
  'pcm_s24be',
  'pcm_s32le',
  'pcm_s32be',
  'pcm_f32le',
  'pcm_f32be',
  'pcm_alaw',
  'pcm_mulaw',
  'adpcm_ima_qt',
  'adpcm_ima_wav',
  'adpcm_ms',
  'amrnb',
  'amrwb',
];

interface Input {
  readonly demuxer: string;
  /** The only decoders that ffmpeg may use. */
  readonly decoders: readonly string[];
  readonly pixels: number;
}

const MOVIE: Input = { demuxer: 'mov', decoders: [...VIDEO_DECODERS, ...SOUND_DECODERS], pixels: MAX_PIXELS };
const GIF: Input = { demuxer: 'gif', decoders: ['gif'], pixels: MAX_PIXELS };

/** The input for an image: a PNG, to which the confined decoder has converted the image. */
export const STILL: Input = { demuxer: 'png_pipe', decoders: ['png'], pixels: 64_000_000 };

/** Returns the input for an original from which a video is made. */
export const inputOf = (type: MediaType): Input => (type === 'image/gif' ? GIF : MOVIE);
