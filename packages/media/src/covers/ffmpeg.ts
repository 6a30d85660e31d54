import { runCommand } from '../child/run-command.ts';
import { colourFilters, filtersOf, TONE_FILTERS } from './colours.ts';
import { MAX_PIXELS, VIDEO_DECODERS } from './decoders.ts';
import type { ShownVideo } from './shown-video.ts';

export interface Ffmpeg {
  /** The program's path, which is absolute if it was found on PATH. */
  readonly path: string;
  readonly version: string;
}

const TIMEOUT_MS = 20_000;
const MAX_OUTPUT = 64 * 1024;

/**
 * Returns the configured ffmpeg or, by default, the first on PATH; null if there is none or it doesn't run.
 *
 * @param signal ends a program that doesn't answer
 */
export async function findFfmpeg(
  configured?: string,
  signal = AbortSignal.timeout(TIMEOUT_MS),
): Promise<Ffmpeg | null> {
  const path = Bun.which(configured ?? 'ffmpeg');
  if (path === null) return null;
  const output = await runCommand([path, '-hide_banner', '-version'], {
    maxOutput: MAX_OUTPUT,
    signal,
  });
  const version = output && /^ffmpeg version (\S+)/.exec(new TextDecoder().decode(output))?.[1];
  return version ? { path, version } : null;
}

/** The decoders for common videos and images, and the encoders for the files that are made from them. */
const NEEDED = {
  decoders: ['h264', 'hevc', 'aac', 'mjpeg', 'png', 'webp'],
  encoders: ['libx264', 'aac', 'mjpeg', 'png', 'libwebp'],
} as const;

/**
 * Returns what this build of ffmpeg lacks, such as `encoder libx264` or `filter zscale`.
 *
 * @param signal ends a program that doesn't answer; such a program counts as lacking everything
 */
export async function findMissingCodecs(path: string, signal: AbortSignal): Promise<readonly string[]> {
  const missing = (['decoders', 'encoders'] as const).map(async (kind) => {
    const output = await runCommand([path, '-hide_banner', `-${kind}`], { maxOutput: MAX_OUTPUT, signal });
    const names = new Set(new TextDecoder().decode(output ?? new Uint8Array()).match(/(?<=^ [VA]\S{5} )\S+/gm));
    return NEEDED[kind].filter((name) => !names.has(name)).map((name) => `${kind.slice(0, -1)} ${name}`);
  });
  const filters = await filtersOf(path, signal);
  const withoutTones = TONE_FILTERS.filter((name) => !filters.has(name)).map((name) => `filter ${name}`);
  return [...(await Promise.all(missing)).flat(), ...withoutTones];
}

/** Maximum pixels of a cover's longer side. A smaller video keeps its size. */
const MAX_SIDE = 1280;

/**
 * Maximum number of frames to decode: a second at 60 frames per second. If more frames lie between a key frame and the
 * wanted second, the last decoded frame is used.
 */
const MAX_FRAMES = 64;

/**
 * Maximum number of frames to decode for a frame that a user chose. By default, encoders put key frames at most 250
 * frames apart, which is rarely more than ten seconds.
 */
const MAX_FRAMES_TO_CHOSEN = 1200;

/**
 * Selects the first frame at or after the wanted second or, if the maximum number of frames is reached earlier, the
 * last decoded frame. `-ss` shifts timestamps so that the wanted second is 0. The selected frame's time is set to 0,
 * because ffmpeg drops frames with negative times.
 */
const FIRST_AT = `select='gte(t,0)+gte(n,${MAX_FRAMES - 1})',setpts=N`;

/** The factor by which a frame is scaled down once its pixels are square. */
const SHRINK = `min(1,${MAX_SIDE}/max(iw*sar,ih))`;
const SIZE = `w='max(1,round(iw*sar*${SHRINK}))':h='max(1,round(ih*${SHRINK}))'`;

/** The colours that JPEG decoders assume. */
const OF_JPEG = { matrix: 'bt601', range: 'pc' } as const;

function scaled({ colours, mapsTones }: ShownVideo): string {
  const { scale, after } = colourFilters({ from: colours, to: OF_JPEG, mapsTones }, 'bicubic');
  return [`scale=${SIZE}${scale}`, ...after, 'setsar=1'].join(',');
}

/**
 * Returns arguments that make ffmpeg read a video from standard input and write the frame at `second` of the shown
 * stream as a JPEG, or nothing if the video is shorter. The demuxer and the protocol are fixed, so that ffmpeg opens no
 * other file, even if the video is a playlist or a track refers to samples elsewhere.
 */
export const frameArguments = (second: number, video: ShownVideo): readonly string[] =>
  argumentsFor(second, FIRST_AT, video);

/**
 * Selects the last frame that starts no later than the wanted second, which is the frame that players show at that
 * time. The filter `fps` repeats the latest frame for each millisecond from 0 on. Only the first of these copies is
 * converted.
 */
const SHOWN_AT = `trim=end_frame=${MAX_FRAMES_TO_CHOSEN},fps=fps=1000:start_time=0:eof_action=pass,trim=end_frame=1`;

/** Like {@link frameArguments}, but for the frame that players show at the second. */
export const shownFrameArguments = (second: number, video: ShownVideo): readonly string[] =>
  argumentsFor(second, SHOWN_AT, video);

function argumentsFor(second: number, choice: string, video: ShownVideo): readonly string[] {
  return [
    ...['-nostdin', '-hide_banner', '-loglevel', 'quiet'],
    ...[
      '-threads',
      '1',
      '-max_pixels',
      `${MAX_PIXELS}`,
      '-protocol_whitelist',
      'file',
      '-codec_whitelist',
      VIDEO_DECODERS.join(','),
    ],
    ...['-f', 'mov', '-enable_drefs', '0', ...video.demuxing, '-ss', `${second}`],
    ...['-noaccurate_seek', '-i', 'file:/dev/stdin'],
    ...[
      '-map',
      video.stream,
      '-frames:v',
      '1',
      '-vf',
      `${choice},${scaled(video)}`,
      '-filter_threads',
      '1',
      '-threads',
      '1',
    ],
    ...['-c:v', 'mjpeg', '-q:v', '3', '-pix_fmt', 'yuvj420p', '-map_metadata', '-1', '-flags:v', '+bitexact'],
    ...['-f', 'mjpeg', 'pipe:1'],
  ];
}
