import type { MediaType } from '@postshelf/domain';
import { MAX_PIXELS, VIDEO_DECODERS } from '../covers/decoders.ts';

/** Audio codecs that are decoded. */
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

const MOVIE = { demuxer: 'mov', decoders: [...VIDEO_DECODERS, ...SOUND_DECODERS], pixels: MAX_PIXELS };

const IMAGE_PIXELS = 64_000_000;

/** The demuxer and the decoders of each type; ffmpeg may use no others. */
export const INPUTS: Readonly<Record<MediaType, { demuxer: string; decoders: readonly string[]; pixels: number }>> = {
  'image/jpeg': { demuxer: 'jpeg_pipe', decoders: ['mjpeg'], pixels: IMAGE_PIXELS },
  'image/png': { demuxer: 'png_pipe', decoders: ['png'], pixels: IMAGE_PIXELS },
  'image/webp': { demuxer: 'webp_pipe', decoders: ['webp'], pixels: IMAGE_PIXELS },
  'image/gif': { demuxer: 'gif', decoders: ['gif'], pixels: MAX_PIXELS },
  'video/mp4': MOVIE,
  'video/quicktime': MOVIE,
};
