/**
 * The only decoders that may read uploads. The several hundred other decoders of ffmpeg never get an attacker's bytes.
 */
export const VIDEO_DECODERS = [
  'h264',
  'hevc',
  'av1',
  'libdav1d',
  'libaom-av1',
  'vp8',
  'vp9',
  'mpeg1video',
  'mpeg2video',
  'mpeg4',
  'h263',
  'svq1',
  'svq3',
  'mjpeg',
  'prores',
  'dnxhd',
  'cfhd',
  'qtrle',
  'png',
  'rawvideo',
];

/** Maximum pixels of a coded frame: somewhat more than 8K. A larger video has no cover. */
export const MAX_PIXELS = 36_000_000;
