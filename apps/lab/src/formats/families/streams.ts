import { encodeWithFfmpeg, once } from '../parts/encode.ts';
import type { Size } from '../parts/quarters.ts';

/** A stream that ffmpeg encodes once. Specimens are made from it by changing the boxes of the container. */
interface Stream {
  /** Arguments of the video's encoder. */
  readonly video: readonly string[];
  /** The audio: its length, and the arguments of its encoder. */
  readonly audio?: { readonly seconds: number; readonly encoder: readonly string[] };
  readonly framesPerSecond?: string;
  readonly seconds?: number;
  readonly size?: Size;
  /**
   * The only possible container, if there is only one. The other one can't hold the stream, or no player supports the
   * stream in it.
   */
  readonly onlyIn?: 'mp4' | 'mov';
}

const SIZE = { width: 160, height: 96 };
const SECONDS = 2.6;

const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
const AAC = ['-c:a', 'aac', '-b:a', '32k'];

const STREAMS = {
  'H.264': { video: H264 },
  'H.264 with B-frames': { video: ['-c:v', 'libx264', '-preset', 'fast', '-bf', '3', '-pix_fmt', 'yuv420p'] },
  'H.264 at 25 a second with B-frames': {
    video: ['-c:v', 'libx264', '-preset', 'fast', '-bf', '2', '-pix_fmt', 'yuv420p'],
    framesPerSecond: '25',
  },
  'H.264 at 29.97 a second': { video: H264, framesPerSecond: '30000/1001' },
  'H.264 of one frame': { video: [...H264, '-frames:v', '1'] },
  'H.264 of 0.3 seconds': { video: H264, seconds: 0.3 },
  'H.264 of 4:2:2': { video: [...H264.slice(0, -1), 'yuv422p'] },
  'H.264 of 4:4:4': { video: [...H264.slice(0, -1), 'yuv444p'] },
  'H.264 of 10 bits': { video: [...H264.slice(0, -1), 'yuv420p10le'] },
  'H.264, odd size': { video: [...H264, '-vf', 'scale=162:98'], size: SIZE },
  'H.264 with AAC': { video: H264, audio: { seconds: SECONDS, encoder: AAC } },
  'H.264 with longer AAC': { video: H264, audio: { seconds: 4.2, encoder: AAC } },
  'H.264 with shorter AAC': { video: H264, audio: { seconds: 1.1, encoder: AAC } },
  'H.264 with MP3': { video: H264, audio: { seconds: SECONDS, encoder: ['-c:a', 'libmp3lame'] } },
  'H.264 with PCM': { video: H264, audio: { seconds: SECONDS, encoder: ['-c:a', 'pcm_s16le'] }, onlyIn: 'mov' },
  HEVC: { video: ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=none', '-tag:v', 'hvc1'] },
  'HEVC of 10 bits': {
    video: [
      ...['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=none', '-tag:v', 'hev1'],
      ...['-pix_fmt', 'yuv420p10le'],
    ],
  },
  AV1: { video: ['-c:v', 'libaom-av1', '-cpu-used', '8', '-usage', 'realtime', '-pix_fmt', 'yuv420p'], onlyIn: 'mp4' },
  VP9: {
    video: ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-pix_fmt', 'yuv420p'],
    onlyIn: 'mp4',
  },
  'MPEG-4 part 2': { video: ['-c:v', 'mpeg4', '-q:v', '3'] },
  'Motion JPEG': { video: ['-c:v', 'mjpeg', '-q:v', '3', '-pix_fmt', 'yuvj420p'], onlyIn: 'mov' },
  ProRes: { video: ['-c:v', 'prores_ks', '-pix_fmt', 'yuv422p10le'], onlyIn: 'mov' },
  PNG: { video: ['-c:v', 'png', '-pix_fmt', 'rgb24'], onlyIn: 'mov' },
  Animation: { video: ['-c:v', 'qtrle', '-pix_fmt', 'rgb24'], onlyIn: 'mov' },
  'two H.264 tracks': {
    video: [
      ...['-filter_complex', '[0:v]split[a][b];[b]negate,scale=240:180[c]', '-map', '[a]', '-map', '[c]'],
      ...H264,
    ],
  },
} as const satisfies Record<string, Stream>;

export type StreamName = keyof typeof STREAMS;
export const STREAM_NAMES = Object.keys(STREAMS) as [StreamName, ...StreamName[]];

/**
 * Wraps a stream in a container.
 *
 * @param flags the flags of the muxer
 * @returns null for a container that can't hold the stream
 */
export function movieOf(
  name: StreamName,
  container: 'mp4' | 'mov',
  flags: readonly string[] = ['-movflags', '+faststart'],
): Promise<Uint8Array> | null {
  const stream: Stream = STREAMS[name];
  if (stream.onlyIn !== undefined && stream.onlyIn !== container) return null;
  return once(`${container} ${name} ${flags.join(' ')}`, () => encode(stream, container, flags));
}

function encode(stream: Stream, extension: 'mp4' | 'mov', flags: readonly string[]): Promise<Uint8Array> {
  const { video, audio, framesPerSecond = '10', seconds = SECONDS, size = SIZE } = stream;
  const sound = audio ? ['-f', 'lavfi', '-t', String(audio.seconds), '-i', 'sine=frequency=440'] : [];
  const isMapped = video.includes('-map');
  return encodeWithFfmpeg({
    size,
    before: [...sound, '-loop', '1', '-framerate', framesPerSecond, '-t', String(seconds)],
    after: [
      ...(isMapped ? [] : ['-map', audio ? '1:v' : '0:v']),
      ...(audio ? ['-map', '0:a', ...audio.encoder] : []),
      ...video,
      ...flags,
    ],
    extension,
  });
}
