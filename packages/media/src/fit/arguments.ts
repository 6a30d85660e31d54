import type { FitAttempt, FitMode, FitOrder, FocalPoint, ImageAttempt, VideoAttempt } from '@postshelf/domain';
import { colourFilters, HD_LINES } from '../covers/colours.ts';
import type { ShownVideo } from '../covers/shown-video.ts';
import { inputOf, STILL } from './inputs.ts';

export interface FitInput extends Pick<FitOrder, 'crop' | 'focus' | 'from' | 'how'> {
  /** The shown stream of a video; null for an image. */
  readonly video: ShownVideo | null;
  /**
   * Path of the output file. It can't be a pipe, because the movie box is moved in front of the media data at the end.
   */
  readonly output: string;
}

/**
 * Returns arguments that make ffmpeg read an original, or the still of an image, from standard input, write the fitted
 * file, and report its progress. The demuxer, the decoders and the protocol are fixed.
 */
export function fitArguments(attempt: FitAttempt, input: FitInput): readonly string[] {
  const { demuxer, decoders, pixels } = attempt.type === 'video/mp4' ? inputOf(input.from) : STILL;
  const isVideo = demuxer === 'mov';
  return [
    ...['-nostdin', '-hide_banner', '-loglevel', 'quiet', '-nostats', '-progress', 'pipe:1', '-y'],
    ...['-threads', '1', '-max_pixels', `${pixels}`, '-protocol_whitelist', 'file'],
    ...['-codec_whitelist', decoders.join(','), ...(isVideo ? ['-enable_drefs', '0'] : [])],
    ...(input.video?.demuxing ?? []),
    ...['-f', demuxer, '-i', 'file:/dev/stdin', '-filter_complex_threads', '1', '-threads', '1'],
    ...['-map_metadata', '-1', '-map_chapters', '-1', '-fflags', '+bitexact', '-flags:v', '+bitexact'],
    ...(attempt.type === 'video/mp4' ? videoArguments(attempt, input) : imageArguments(attempt, input)),
    `file:${input.output}`,
  ];
}

function imageArguments(attempt: ImageAttempt, { crop, focus, from, how }: FitInput): readonly string[] {
  const { type, quality } = attempt;
  const isOpaque = from === 'image/jpeg';
  const colour = type === 'image/jpeg' || isOpaque ? 'white' : TRANSPARENT;
  const alike = { 'image/jpeg': 'yuvj420p', 'image/png': isOpaque ? 'rgb24' : 'rgba', 'image/webp': 'yuva420p' };
  const first = ['setsar=1', ...partOf(crop)];
  const graph = onCanvas(attempt, how, { first, focus, colour, pixels: alike[type], isOpaque });
  const coded = {
    'image/jpeg': ['-c:v', 'mjpeg', '-q:v', `${jpegScale(quality)}`, '-f', 'mjpeg'],
    'image/png': ['-c:v', 'png', '-pred', 'mixed', '-f', 'image2pipe'],
    'image/webp': ['-c:v', 'libwebp', '-quality', `${quality}`, '-f', 'webp'],
  }[type];
  return ['-frames:v', '1', '-filter_complex', graph, '-map', '[made]', ...coded];
}

const TRANSPARENT = 'white@0';

/** Converts a quality to ffmpeg's scale for JPEG: 2 is the best, 31 the worst. */
const jpegScale = (quality: number): number => Math.min(31, Math.max(2, Math.round((100 - quality) / 5) + 1));

/** Length of the encoder's rate buffer, in seconds of video at the maximum bit rate. */
const RATE_WINDOW = 1;

const qualityWithin = ({ quality, maxBitrate }: VideoAttempt): readonly string[] => [
  ...['-crf', `${21 + (75 - quality) * 0.35}`, '-maxrate', `${maxBitrate}`, '-bufsize', `${maxBitrate * RATE_WINDOW}`],
];

/** Number of bits per pixel and frame that are enough for most videos. */
const ENOUGH_BITS = 0.1;

/** Returns options for a constant bit rate. The encoder adds filler data if the frames need fewer bits. */
function constantRate({ width, height, frameRate, minBitrate, maxBitrate }: VideoAttempt): readonly string[] {
  const bitrate = Math.min(maxBitrate, Math.max(minBitrate, Math.ceil(width * height * frameRate * ENOUGH_BITS)));
  const rates = ['-b:v', '-minrate', '-maxrate', '-bufsize'].flatMap((name) => [name, `${bitrate}`]);
  return [...rates, '-x264-params', 'nal-hrd=cbr:force-cfr=1'];
}

/** The stream and the colours of a GIF, which are RGB. */
const GIF: ShownVideo = {
  stream: '0:V:0',
  sound: null,
  demuxing: [],
  colours: { matrix: null, range: 'pc', hdr: null },
  mapsTones: false,
};

/** Options that insert silence if the sound starts late or has gaps. */
const SOUND_FROM_0 = ['-af', 'aresample=async=1:first_pts=0'];

function videoArguments(attempt: VideoAttempt, { crop, focus, from, how, video }: FitInput): readonly string[] {
  const { frameRate, minBitrate, maxDurationMs } = attempt;
  const to = { matrix: attempt.height >= HD_LINES ? 'bt709' : 'bt601', range: 'tv' } as const;
  const isVideo = from !== 'image/gif';
  // Players apply a video's pixel aspect ratio, but ignore a GIF's.
  const square = isVideo ? ["scale=w='max(2,round(iw*sar))':h=ih"] : [];
  // The video starts at 0, because the result has no edit list that would specify a later start.
  const first = [`fps=${frameRate}:start_time=0`, ...square, 'setsar=1', ...partOf(crop)];
  const colour = isVideo ? 'black' : 'white';
  const { colours, mapsTones, stream, sound } = video ?? GIF;
  const conversion = colourFilters({ from: colours, to, mapsTones }, 'lanczos');
  const graph = onCanvas(attempt, how, {
    ...{ stream, first, focus, colour, pixels: 'yuv420p', isOpaque: isVideo, frameRate, conversion },
  });
  return [
    ...['-filter_complex', graph, '-map', '[made]', ...(sound === null ? [] : ['-map', `${sound}?`, ...SOUND_FROM_0])],
    ...(maxDurationMs === null ? [] : ['-t', `${maxDurationMs / 1000}`]),
    // There are no B-frames, because a video with B-frames would need an edit list to start at 0.
    ...['-color_primaries', 'bt709', '-color_trc', 'bt709', '-color_range', 'tv'],
    ...['-colorspace', to.matrix === 'bt709' ? 'bt709' : 'smpte170m'],
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-profile:v', 'high', '-bf', '0'],
    ...[
      '-g',
      `${Math.max(1, Math.round(2 * frameRate))}`,
      ...(minBitrate > 0 ? constantRate(attempt) : qualityWithin(attempt)),
    ],
    ...['-c:a', 'aac', '-b:a', `${attempt.audioBitrate}`, '-ar', `${attempt.sampleRate}`, '-ac', '2'],
    ...['-flags:a', '+bitexact', '-movflags', '+faststart', '-use_editlist', '0', '-f', 'mp4'],
  ];
}

/** Returns a filter that crops the frame, which is upright and has square pixels at this point. */
function partOf(crop: FitOrder['crop']): readonly string[] {
  if (!crop) return [];
  const { x, y, width, height } = crop;
  const side = (fraction: number, of: 'iw' | 'ih') => `'max(1,round(${of}*${fraction}))'`;
  // Without `exact=1`, ffmpeg rounds the crop of a video with subsampled chroma down to even numbers.
  return [`crop=w=${side(width, 'iw')}:h=${side(height, 'ih')}:x='round(iw*${x})':y='round(ih*${y})':exact=1`];
}

/**
 * A frame that is smaller than its canvas by at most this many pixels is stretched to fill it, because a bar of one
 * pixel would look like a mistake.
 */
const SNAP = 2.5;

/**
 * Filters before and after the scaling of an image with transparency. Without them, colours hidden under transparent
 * pixels would show at every edge.
 */
const MULTIPLIED = { before: ['format=gbrap', 'premultiply=inplace=1'], after: 'unpremultiply=inplace=1' } as const;

const MIDDLE: FocalPoint = { x: 0.5, y: 0.5 };

interface CanvasOptions {
  /** ffmpeg's specifier for the stream. Default: the first. */
  readonly stream?: string;
  /** Filters that rotate the frame upright and make its pixels square. */
  readonly first: readonly string[];
  /** The point to keep in the middle of the cropped frame, as far as possible. Default: the frame's middle. */
  readonly focus?: FocalPoint | undefined;
  /** The colour of bars, and of the background of a transparent image. */
  readonly colour: string;
  /** ffmpeg's name of the result's pixel format. */
  readonly pixels: string;
  readonly isOpaque: boolean;
  /** Frames per second of a video; absent for an image. */
  readonly frameRate?: number;
  /** Conversion of a video to the colours of the result; absent for an image. */
  readonly conversion?: ReturnType<typeof colourFilters>;
}

/** Returns a filter graph that places a frame on a canvas, with bars around it or cropped. */
function onCanvas(
  { width, height }: Pick<ImageAttempt, 'width' | 'height'>,
  how: FitMode,
  { stream = '0:V:0', first, focus = MIDDLE, colour, pixels, isOpaque, frameRate, conversion }: CanvasOptions,
): string {
  // An image that isn't opaque becomes RGB on its canvas, and its colours are converted only after that.
  const options = isOpaque && conversion ? conversion.scale : ':flags=lanczos+accurate_rnd';
  const after = isOpaque && conversion ? conversion.after : [];
  const w = `if(gte(${height}*a,${width - SNAP}),${width},max(1,round(${height}*a)))`;
  const h = `if(gte(${width}/a,${height - SNAP}),${height},max(1,round(${width}/a)))`;
  const scale =
    how === 'pad'
      ? [`scale=w='${w}':h='${h}'${options}`, ...after]
      : [
          `scale=w=${width}:h=${height}:force_original_aspect_ratio=increase${options}`,
          ...after,
          `crop=${width}:${height}:x='clip(iw*${focus.x}-ow/2,0,iw-ow)':y='clip(ih*${focus.y}-oh/2,0,ih-oh)'`,
        ];
  const scaled = isOpaque ? scale : [...MULTIPLIED.before, ...scale, MULTIPLIED.after];
  const image = `[${stream}]${[...first, ...scaled].join(',')}`;
  // This branch avoids a conversion to RGB and back, which would change the colours of videos.
  if (isOpaque) {
    const bars = how === 'pad' ? `pad=${width}:${height}:(ow-iw)/2:(oh-ih)/2:color=${colour},` : '';
    return `${image},${bars}format=${pixels}[made]`;
  }
  const rate = frameRate === undefined ? '' : `:r=${frameRate}`;
  const converted = conversion ? `scale=${conversion.scale.replace(/^:/, '')},` : '';
  return [
    `${image}[image]`,
    `color=c=${colour}:s=${width}x${height}${rate},format=${colour === TRANSPARENT ? 'rgba' : 'rgb24'}[canvas]`,
    `[canvas][image]overlay=x=(W-w)/2:y=(H-h)/2:shortest=1:format=gbrp,${converted}format=${pixels}[made]`,
  ].join(';');
}
