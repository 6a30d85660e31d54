import { type Fingerprint, fingerprintOf, GRID } from '../fingerprint.ts';
import type { Specimen } from '../specimen.ts';
import { outputOf, resultOf } from './run.ts';
import { kindOf, type Oracle, type View } from './view.ts';

interface Stream {
  readonly index: number;
  readonly codec_type?: string;
  readonly codec_name?: string;
  readonly width?: number;
  readonly height?: number;
  readonly sample_aspect_ratio?: string;
  readonly color_space?: string;
  readonly color_range?: string;
  readonly color_transfer?: string;
  readonly color_primaries?: string;
  readonly start_time?: string;
  readonly pix_fmt?: string;
  readonly disposition?: { readonly attached_pic?: number; readonly default?: number };
  readonly side_data_list?: readonly { readonly rotation?: number }[];
}

interface Packet {
  readonly stream_index: number;
  readonly pts_time?: string;
  readonly dts_time?: string;
  readonly duration_time?: string;
  readonly flags?: string;
}

interface Probe {
  readonly streams?: readonly Stream[];
  readonly packets?: readonly Packet[];
  readonly format?: { readonly duration?: string; readonly tags?: Readonly<Record<string, string>> };
}

/** Maximum bytes of a file whose packets are listed. The limit exists because an hour of video has 300,000 packets. */
const MAX_SIZE = 200 * 1024 * 1024;

/** Maximum bytes searched for the sign of a fragmented video. */
const MAX_HEAD = 1024 * 1024;

/** The time, in seconds, of the frame that this oracle takes from a video. Covers show the same frame. */
const SECOND = '1';

/**
 * Opens `ffprobe` and `ffmpeg`, which report a video's size, its duration (computed from the times of its packets), and
 * one frame, converted to RGB with the declared matrix and range. Returns null if they aren't installed.
 */
export function openFfmpeg(): Oracle | null {
  const [ffprobe, ffmpeg] = [Bun.which('ffprobe'), Bun.which('ffmpeg')];
  if (ffprobe === null || ffmpeg === null) return null;
  return {
    name: 'ffprobe',
    async inspect(specimen): Promise<View | null> {
      if ((await kindOf(specimen)) !== 'movie') return null;
      const packets = specimen.size > MAX_SIZE ? [] : ['-show_packets'];
      const command = [ffprobe, '-v', 'error', '-f', 'mov', '-of', 'json', '-show_format', '-show_streams', ...packets];
      const isFragmented = Buffer.from(await Bun.file(specimen.path).slice(0, MAX_HEAD).bytes()).includes('mvex');
      const { output, complaint } = await resultOf([...command, specimen.path]);
      if (output === null) return { shows: false };
      const probe: Probe = JSON.parse(output.toString());
      const video = videoOf(probe);
      if (video === undefined) return { shows: false };
      const fingerprint = await frameOf(ffmpeg, specimen, video);
      const seconds = secondsOf(probe, isFragmented);
      return {
        shows: fingerprint !== null,
        type: typeOf(probe),
        ...sizeOf(video),
        ...(seconds !== null && { seconds }),
        ...(fingerprint && { fingerprint }),
        notes: [
          video.codec_name ?? 'unknown',
          ...(isHdr(video) ? ['HDR'] : []),
          ...(isFragmented ? ['fragments'] : []),
          ...(hasOtherScreen(video) ? ['primaries or curve of another screen'] : []),
          ...(isEdited(probe, video) ? ['edits'] : []),
          ...(complaint.includes('partial file') ? ['incomplete'] : []),
        ],
      };
    },
    close: async () => undefined,
  };
}

/** Returns the track that players show: the first enabled track, or the first track if none is enabled. */
function videoOf({ streams = [] }: Probe): Stream | undefined {
  const videos = streams.filter((each) => each.codec_type === 'video' && !each.disposition?.attached_pic);
  return videos.find((each) => each.disposition?.default) ?? videos[0];
}

/** Returns the media type: QuickTime if the file has QuickTime's brand or no brand, otherwise MP4. */
const typeOf = ({ format }: Probe): string =>
  ['qt  ', undefined].includes(format?.tags?.major_brand) ? 'video/quicktime' : 'video/mp4';

/**
 * Returns the size in square pixels. As in browsers, neither side shrinks: wide pixels increase the width, and tall
 * pixels increase the height.
 */
function sizeOf(video: Stream): { readonly width: number; readonly height: number } {
  const [across = 1, down = 1] = (video.sample_aspect_ratio ?? '1:1').split(':').map(Number);
  const ratio = across > 0 && down > 0 ? across / down : 1;
  const width = Math.round((video.width ?? 0) * Math.max(1, ratio));
  const height = Math.round((video.height ?? 0) / Math.min(1, ratio));
  const rotation = video.side_data_list?.find((each) => each.rotation !== undefined)?.rotation ?? 0;
  return Math.abs(rotation) % 180 === 90 ? { width: height, height: width } : { width, height };
}

/**
 * Returns the time at which the last shown packet ends, or the container's duration if packets have no times. In a
 * fragmented file, the time counts from the first packet, because the file may be cut from a longer stream.
 */
function secondsOf({ streams = [], packets = [], format }: Probe, isFragmented: boolean): number | null {
  const shown = new Set(
    streams
      .filter((each) => ['video', 'audio'].includes(each.codec_type ?? '') && !each.disposition?.attached_pic)
      .map(({ index }) => index),
  );
  const waits = new Map([...shown].map((index) => [index, waitOf(packets, index)]));
  // The flag `D` means that the packet is decoded, but its frame is removed by an edit.
  const times = packets
    .filter((each) => shown.has(each.stream_index) && !each.flags?.includes('D') && each.pts_time !== undefined)
    .map((each) => {
      const start = Number(each.pts_time) - (isFragmented ? 0 : (waits.get(each.stream_index) ?? 0));
      return [start, Number(each.duration_time ?? 0)] as const;
    });
  if (times.length === 0) return format?.duration === undefined ? null : Number(format.duration);
  const start = times.reduce((min, [time]) => Math.min(min, time), Number.POSITIVE_INFINITY);
  const end = times.reduce((max, [time, length]) => Math.max(max, time + length), 0);
  return isFragmented ? end - Math.max(0, start) : end;
}

/**
 * Returns the delay, in seconds, between decoding and showing a stream's first frame. Returns 0 if the first packet
 * isn't decoded at time 0, for example after an empty edit. A stream without an edit list has such a delay if its
 * frames are coded in a different order than they are shown in. The delay isn't part of the video: without an edit
 * list, a track lasts as long as its samples together (ISO/IEC 14496-12, section 8.3.2.3), and players start with the
 * first frame.
 */
function waitOf(packets: readonly Packet[], index: number): number {
  const first = packets.find((each) => each.stream_index === index);
  return Number(first?.dts_time) === 0 ? Math.max(0, Number(first?.pts_time ?? 0)) : 0;
}

/**
 * Primaries and curves that look different from those of sRGB. Those of BT.601 and BT.709 differ too little to be seen.
 */
const OTHER_SCREENS = { primaries: new Set(['bt2020']), curves: new Set(['bt470m', 'bt470bg', 'gamma22', 'gamma28']) };

const hasOtherScreen = ({ color_primaries, color_transfer }: Stream): boolean =>
  OTHER_SCREENS.primaries.has(color_primaries ?? '') || OTHER_SCREENS.curves.has(color_transfer ?? '');

/** Whether frames are decoded but not shown, or whether the first frame is shown after an empty edit. */
const isEdited = ({ packets = [] }: Probe, { index, start_time }: Stream): boolean =>
  Number(start_time) > waitOf(packets, index) ||
  packets.some((each) => each.stream_index === index && each.flags?.includes('D'));

const HDR = new Set(['smpte2084', 'arib-std-b67']);
const isHdr = ({ color_transfer }: Stream): boolean => HDR.has(color_transfer ?? '');

/** Matrices by the names that ffmpeg's filter `scale` uses. */
const MATRICES: Readonly<Record<string, string>> = {
  bt709: 'bt709',
  smpte170m: 'smpte170m',
  bt470bg: 'bt470bg',
  bt2020nc: 'bt2020',
};

/** The number of lines above which untagged video counts as BT.709. */
const HD_LINES = 720;

/** The sides of a frame in pixels: several pixels for each block. */
const SIDE = 8 * GRID;

async function frameOf(ffmpeg: string, { path }: Specimen, video: Stream): Promise<Fingerprint | null> {
  const untagged = Math.min(video.width ?? 0, video.height ?? 0) >= HD_LINES ? 'bt709' : 'smpte170m';
  const isYuv = /^yuv|^nv|^p01/.test(video.pix_fmt ?? '');
  const range = video.color_range === 'pc' || video.pix_fmt?.startsWith('yuvj') ? 'pc' : 'tv';
  const colours = isYuv ? `:in_color_matrix=${MATRICES[video.color_space ?? ''] ?? untagged}:in_range=${range}` : '';
  const filter = `scale=${SIDE}:${SIDE}:flags=area+accurate_rnd+full_chroma_int${colours},format=rgb24`;
  for (const seek of [['-ss', SECOND], []]) {
    const output = await outputOf([
      ...[ffmpeg, '-nostdin', '-v', 'error', ...seek, '-f', 'mov', '-i', path],
      ...['-map', `0:${video.index}`, '-frames:v', '1', '-vf', filter, '-f', 'rawvideo', '-'],
    ]);
    if (output?.length === 3 * SIDE * SIDE) return fingerprintOf(output, SIDE, SIDE, 3);
  }
  return null;
}
