import type { DeclaredColours } from '@postshelf/domain/formats';
import { runCommand } from '../child/run-command.ts';
import { MAX_PIXELS, VIDEO_DECODERS } from './decoders.ts';

/** How a video encodes its colours. */
export interface VideoColours {
  /** The name that ffmpeg's filter `scale` has for the matrix; null for RGB. */
  readonly matrix: string | null;
  readonly range: 'tv' | 'pc';
  /** The transfer curve of an HDR video; null for SDR. */
  readonly hdr: 'hlg' | 'pq' | null;
}

/**
 * The names that the filter `scale` has for matrices, by ffmpeg's names and ITU-T H.273's numbers of the colour spaces.
 */
const MATRICES: Readonly<Record<string, string>> = {
  ...{ bt709: 'bt709', fcc: 'fcc', bt470bg: 'bt601', smpte170m: 'bt601', smpte240m: 'smpte240m' },
  ...{ bt2020nc: 'bt2020', bt2020c: 'bt2020' },
  ...{ 1: 'bt709', 4: 'fcc', 5: 'bt601', 6: 'bt601', 7: 'smpte240m', 9: 'bt2020', 10: 'bt2020' },
};

/** The transfer curves of HDR, by their names in ffmpeg and by their numbers in ITU-T H.273. */
const CURVES: Readonly<Record<string, 'hlg' | 'pq'>> = { 'arib-std-b67': 'hlg', smpte2084: 'pq', 18: 'hlg', 16: 'pq' };

/**
 * An untagged video with at least this many lines is treated as BT.709, and one with fewer lines as BT.601, as in
 * browsers.
 */
export const HD_LINES = 720;

/**
 * Returns arguments that make ffmpeg report the first frame of a stream to standard error, and write nothing else.
 *
 * @param demuxing options of the demuxer
 */
export const reportArguments = (stream: string, demuxing: readonly string[]): readonly string[] => [
  ...['-nostdin', '-hide_banner', '-nostats', '-loglevel', 'info', '-threads', '1', '-max_pixels', `${MAX_PIXELS}`],
  ...['-protocol_whitelist', 'file', '-codec_whitelist', VIDEO_DECODERS.join(','), '-noautorotate'],
  ...['-f', 'mov', '-enable_drefs', '0', ...demuxing, '-i', 'file:/dev/stdin', '-map', stream, '-frames:v', '1'],
  ...['-vf', 'showinfo=checksum=0', '-filter_threads', '1', '-f', 'null', '-'],
];

/** Maximum bytes of a report, which consists mostly of the file's metadata and the settings of its encoder. */
export const MAX_REPORT = 1024 * 1024;

/**
 * Prefix of the lines that the filter `showinfo` writes. Only these are searched, because other lines may contain any
 * metadata of the file.
 */
const OF_SHOWINFO = '[Parsed_showinfo_';

const FRAME = / fmt:(\S+) .*?\bs:\d+x(\d+)/;
const TAGS = / color_range:(\S+) color_space:(\S+) color_primaries:\S+ color_trc:(\S+)/;

/**
 * Reads the colours from a report. The frame's own tags take precedence over the container's. If both lack a matrix,
 * the number of lines determines it.
 */
export function coloursIn(report: string, declared: DeclaredColours | null): VideoColours {
  const shown = report.split('\n').filter((line) => line.startsWith(OF_SHOWINFO));
  const frame = firstMatch(shown, FRAME);
  const said = firstMatch(shown, TAGS);
  const [pixels = '', lines = '0'] = frame?.slice(1) ?? [];
  const [range = '', space = '', transfer = ''] = said?.slice(1) ?? [];
  const usual = Number(lines) >= HD_LINES ? 'bt709' : 'bt601';
  const curve = ['', 'unknown'].includes(transfer) ? `${declared?.transfer}` : transfer;
  const isRgb = /^(gbr|0?rgb|0?bgr|[ar]rgb|abgr|pal8|x2)/.test(pixels);
  return {
    matrix: isRgb ? null : (MATRICES[space] ?? MATRICES[`${declared?.matrix}`] ?? usual),
    range: range === 'pc' || pixels.startsWith('yuvj') ? 'pc' : 'tv',
    hdr: CURVES[curve] ?? null,
  };
}

function firstMatch(lines: readonly string[], pattern: RegExp): RegExpExecArray | null {
  for (const line of lines) {
    const match = pattern.exec(line);
    if (match !== null) return match;
  }
  return null;
}

const TIMEOUT_MS = 20_000;
const MAX_LIST = 256 * 1024;

/** The filters that tone mapping needs. Some builds of ffmpeg lack zscale. */
export const TONE_FILTERS = ['zscale', 'tonemap'] as const;

/** Returns the names of the filters that this ffmpeg has; empty if it can't be run at the moment. */
export async function filtersOf(path: string, signal = AbortSignal.timeout(TIMEOUT_MS)): Promise<ReadonlySet<string>> {
  const output = await runCommand([path, '-hide_banner', '-filters'], { maxOutput: MAX_LIST, signal });
  return new Set(new TextDecoder().decode(output ?? new Uint8Array()).match(/(?<=^ [T.][S.][C.] )\S+/gm));
}

export interface ColourChange {
  readonly from: VideoColours;
  readonly to: { readonly matrix: 'bt709' | 'bt601'; readonly range: 'tv' | 'pc' };
  /** Whether this ffmpeg has the filters of {@link TONE_FILTERS}. */
  readonly mapsTones: boolean;
}

/** Options that make the filter `scale` round exactly, so that colours don't shift. */
const EXACTLY = 'accurate_rnd+full_chroma_int+full_chroma_inp';

/**
 * Returns the options of a `scale` filter, and the filters that must follow it, to convert a video to the wanted
 * encoding. The primaries and the transfer curve of SDR are kept, because players treat those of BT.601 and BT.709
 * alike.
 */
export function colourFilters({ from, to, mapsTones }: ColourChange, algorithm: string) {
  const flags = `flags=${algorithm}+${EXACTLY}`;
  const input = from.matrix === null ? '' : `:in_color_matrix=${from.matrix}:in_range=${from.range}`;
  const output = `out_color_matrix=${to.matrix}:out_range=${to.range}`;
  if (from.hdr === null || !mapsTones) return { scale: `${input}:${output}:${flags}`, after: [] };
  const same = from.matrix === null ? '' : `:out_color_matrix=${from.matrix}:out_range=${from.range}`;
  return { scale: `${input}${same}:${flags}`, after: [...toneFilters(from), `scale=${output}:${flags}`] };
}

const CURVE_NAMES = { hlg: 'arib-std-b67', pq: 'smpte2084' } as const;
const MATRIX_NAMES: Readonly<Record<string, string>> = { bt709: '709', bt2020: '2020_ncl' };

/**
 * Returns filters that convert HDR to the RGB of BT.709. Diffuse white, which has 203 cd/m² in HLG and in PQ (ITU-R
 * BT.2408), becomes white, and light brighter than 80 % of diffuse white is compressed.
 */
function toneFilters({ matrix, range, hdr }: VideoColours): readonly string[] {
  const input =
    matrix === null
      ? `min=gbr:rin=full`
      : `min=${MATRIX_NAMES[matrix] ?? '470bg'}:rin=${range === 'pc' ? 'full' : 'limited'}`;
  return [
    // zscale refuses images with subsampled chroma if their size is odd, so chroma is upsampled first.
    matrix === null ? 'format=gbrp12le' : 'format=yuv444p12le',
    `zscale=tin=${CURVE_NAMES[hdr ?? 'hlg']}:pin=2020:${input}:t=linear:npl=203`,
    'format=gbrpf32le',
    'zscale=p=709',
    'tonemap=tonemap=mobius:param=0.8:desat=0',
    'zscale=t=709:m=gbr:r=full',
    'format=gbrp',
  ];
}
