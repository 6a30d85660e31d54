import { family } from '../family.ts';
import { encodeWithFfmpeg, once } from '../parts/encode.ts';

const MATRICES = {
  'BT.709': ['bt709', 'bt709', 'bt709', 'bt709'],
  'BT.601': ['smpte170m', 'smpte170m', 'smpte170m', 'smpte170m'],
  'BT.601 of PAL': ['bt470bg', 'bt470bg', 'gamma28', 'bt470bg'],
  'BT.2020': ['bt2020', 'bt2020', 'bt2020-10', 'bt2020nc'],
  // These numbers make the video HDR. Each program decides how brightly it shows HDR.
  HLG: ['bt2020', 'bt2020', 'arib-std-b67', 'bt2020nc'],
  PQ: ['bt2020', 'bt2020', 'smpte2084', 'bt2020nc'],
} as const satisfies Record<string, readonly [scale: string, primaries: string, transfer: string, matrix: string]>;
type Matrix = keyof typeof MATRICES;
const MATRIX_NAMES = Object.keys(MATRICES) as [Matrix, ...Matrix[]];

const SIZES = {
  HD: { width: 1280, height: 720 },
  SD: { width: 160, height: 96 },
  'HD, upright': { width: 720, height: 1280 },
  'just below HD': { width: 1024, height: 576 },
} as const;
type SizeName = keyof typeof SIZES;
const SIZE_NAMES = Object.keys(SIZES) as [SizeName, ...SizeName[]];

/** Videos whose colours come out right only if the file's matrix and range are used. */
export const colours = family({
  name: 'colours',
  share: 120,
  axes: {
    matrix: MATRIX_NAMES,
    size: SIZE_NAMES,
    range: ['limited', 'full'],
    tags: ['stream and container', 'none', 'stream alone'],
    codec: ['H.264', 'HEVC', 'H.264 of 10 bits', 'H.264 of 4:4:4'],
    container: ['mp4', 'mov', 'fragmented mp4'],
  },
  async make({ matrix, size: sizeName, range, tags, codec, container }) {
    // Without tags, programs can only assume the default range and matrix.
    const isKnown =
      tags !== 'none' || (range === 'limited' && matrix === (sizeName.startsWith('HD') ? 'BT.709' : 'BT.601'));
    if (!isKnown) return null;
    const size = SIZES[sizeName];
    const name = `colours ${matrix} ${sizeName} ${range} ${tags} ${codec} ${container}`;
    const bytes = await once(name, () => encode(size, { matrix, range, tags, codec, container }));
    return { bytes, extension: container === 'mov' ? 'mov' : 'mp4', expected: 'taken' };
  },
});

const ENCODERS = {
  'H.264': ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'],
  HEVC: [
    '-c:v',
    'libx265',
    '-preset',
    'ultrafast',
    '-x265-params',
    'log-level=none',
    '-pix_fmt',
    'yuv420p',
    '-tag:v',
    'hvc1',
  ],
  'H.264 of 10 bits': ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p10le'],
  'H.264 of 4:4:4': ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv444p'],
} as const;

interface ColourTraits {
  readonly matrix: Matrix;
  readonly range: 'limited' | 'full';
  readonly tags: 'stream and container' | 'none' | 'stream alone';
  readonly codec: keyof typeof ENCODERS;
  readonly container: 'mp4' | 'mov' | 'fragmented mp4';
}

function encode(
  size: { readonly width: number; readonly height: number },
  { matrix, range, tags, codec, container }: ColourTraits,
): Promise<Uint8Array> {
  const [scale, primaries, transfer, space] = MATRICES[matrix];
  const said = ['-color_primaries', primaries, '-color_trc', transfer, '-colorspace', space];
  const tagged = [...said, '-color_range', range === 'full' ? 'pc' : 'tv'];
  const flags = container === 'fragmented mp4' ? '+frag_keyframe+empty_moov+default_base_moof' : '+faststart';
  // The encoder copies the tags of the frames that it gets from the filter, so the tags must be removed from these
  // frames.
  const untagged = ['setparams=color_primaries=unknown:color_trc=unknown:colorspace=unknown'];
  const filters = [
    `scale=out_color_matrix=${scale}:out_range=${range === 'full' ? 'pc' : 'tv'}`,
    ...(tags === 'none' ? untagged : []),
  ];
  return encodeWithFfmpeg({
    size,
    before: ['-loop', '1', '-framerate', '4', '-t', '1.25'],
    after: [
      ...['-vf', filters.join(',')],
      ...ENCODERS[codec],
      ...(tags === 'none' ? [] : tagged),
      ...['-movflags', tags === 'stream alone' ? flags : `${flags}+write_colr`],
    ],
    extension: container === 'mov' ? 'mov' : 'mp4',
  });
}
