import type { ParentBox } from './box-node.ts';
import { descriptionsOf, entriesOf, extensionsOf } from './descriptions.ts';

/** Chroma formats by `chroma_format_idc` (ITU-T H.264, table 6-1; the same in H.265), and by VP9's own numbers. */
const FORMATS = ['4:0:0', '4:2:0', '4:2:2', '4:4:4'];
const VP_FORMATS = ['4:2:0', '4:2:0', '4:2:2', '4:4:4'];

/**
 * Functions by the type of a codec's configuration box. Each reads the chroma format from the box, and returns null if
 * the box doesn't state it.
 */
const CHROMA_OF_BOX: Readonly<Record<string, (content: Uint8Array) => string | null>> = {
  avcC: ofAvc,
  // The format is in the byte after the parallelism type (ISO/IEC 14496-15, section 8.3.3).
  hvcC: ({ 16: format }) => (format === undefined ? null : (FORMATS[format & 3] ?? null)),
  // The format is in the same byte as the bit depth ("VP Codec ISO Media File Format Binding", version 1).
  vpcC: ({ 6: format }) => (format === undefined ? null : (VP_FORMATS[(format >> 1) & 7] ?? null)),
  av1C: ({ 2: flags }) => (flags === undefined ? null : ofAv1(flags)),
};

/** Codecs with only one chroma format. */
const CHROMA_OF_CODEC: Readonly<Record<string, string>> = {
  apco: '4:2:2',
  apcs: '4:2:2',
  apcn: '4:2:2',
  apch: '4:2:2',
  ap4h: '4:4:4',
  ap4x: '4:4:4',
};

/** Returns the chroma subsampling in a track's first description; null if it isn't stated, and for unknown codecs. */
export function chromaOf(track: ParentBox): string | null {
  const list = descriptionsOf(track);
  const [first] = list ? entriesOf(list) : [];
  if (!list || !first) return null;
  for (const { type, start, end } of extensionsOf(list, first)) {
    if (!Object.hasOwn(CHROMA_OF_BOX, type)) continue;
    return CHROMA_OF_BOX[type]?.(new Uint8Array(list.buffer, list.byteOffset + start, end - start)) ?? null;
  }
  return Object.hasOwn(CHROMA_OF_CODEC, first.type) ? (CHROMA_OF_CODEC[first.type] ?? null) : null;
}

/** Reads the flags of `av1C` (AV1 Codec ISO Media File Format Binding, section 2.3). */
function ofAv1(flags: number): string | null {
  if (flags & 0x10) return '4:0:0';
  return ['4:4:4', null, '4:2:2', '4:2:0'][(flags >> 2) & 3] ?? null;
}

/** AVC profiles that state the format in the sequence parameters (ITU-T H.264, 7.3.2.1.1); all others have 4:2:0. */
const FREE_PROFILES = new Set([44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 244]);

/** Offsets of the first sequence parameter set (ISO/IEC 14496-15, section 5.3.3) and of its first Exp-Golomb number. */
const PARAMETERS = 8;
const FIRST_BITS = PARAMETERS + 4;

function ofAvc(content: Uint8Array): string | null {
  const [, profile, , , , sets = 0] = content;
  if (profile === undefined) return null;
  if (!FREE_PROFILES.has(profile)) return '4:2:0';
  if ((sets & 31) === 0) return null;
  const bits = Array.from(content.subarray(FIRST_BITS, FIRST_BITS + 16), (byte) => byte.toString(2).padStart(8, '0'));
  const afterId = afterNumber(bits.join(''));
  return afterId === null ? null : (FORMATS[numberOf(afterId)] ?? null);
}

/** Skips an Exp-Golomb number (section 9.1): its first 1 bit is preceded and followed by the same number of bits. */
function afterNumber(bits: string): string | null {
  const zeros = bits.indexOf('1');
  return zeros < 0 ? null : bits.slice(2 * zeros + 1);
}

function numberOf(bits: string): number {
  const zeros = bits.indexOf('1');
  return zeros < 0 ? -1 : Number.parseInt(bits.slice(zeros, 2 * zeros + 1), 2) - 1;
}
