import {
  CHROMA_OF_BOX,
  CHROMA_OF_CODEC,
  contentAt,
  contentView,
  fourCc,
  handlerOf,
  type ParentBox,
} from '@postshelf/domain/formats';

interface Entry {
  readonly type: string;
  readonly bytes: DataView;
}

/** Offsets in a description (ISO/IEC 14496-12, section 8.5.2; QuickTime File Format, "Sound media"). */
const DATA_REFERENCE = 14;
const VIDEO_EXTENSIONS = 86;
const SOUND = { version: 16, channels: 24, bits: 26, samplesPerPacket: 36, bytesPerFrame: 44, lengthOfVersion1: 52 };

/**
 * For older descriptions, which don't contain these values: codecs without packets; and the samples and bytes of a
 * packet of one channel.
 */
const PLAIN: ReadonlySet<string> = new Set(['raw ', 'twos', 'sowt', 'NONE']);
const PACKETS: ReadonlyMap<string, readonly [samples: number, bytes: number]> = new Map([
  ['ima4', [64, 34]],
  ['MAC3', [6, 2]],
  ['MAC6', [6, 1]],
  ['agsm', [160, 33]],
]);

/** Types that stand in place of a codec's (ISO/IEC 14496-12, section 8.12; FairPlay's as in files of Apple's shop). */
const ENCRYPTED = { cenc: new Set(['encv', 'enca', 'encs']), fairPlay: new Set(['drmi', 'drms']) };

/** What the samples of a track are (`stsd`), and in which files they may be (`dref`). */
export class SampleDescriptions {
  readonly #entries: readonly Entry[];
  readonly #files: readonly Entry[];

  constructor(private readonly track: ParentBox) {
    this.#entries = listOf(contentAt(track, 'mdia', 'minf', 'stbl', 'stsd'));
    this.#files = listOf(contentAt(track, 'mdia', 'minf', 'dinf', 'dref'));
  }

  /** Whether samples of this description, counted from 1, are in another file. */
  isElsewhere(description: number): boolean {
    const entry = this.#entries[description - 1]?.bytes;
    if (entry === undefined || entry.byteLength < DATA_REFERENCE + 2) return false;
    const file = this.#files[entry.getUint16(DATA_REFERENCE) - 1]?.bytes;
    // One of the flags after the version means: in this file.
    return file !== undefined && file.byteLength >= 12 && (file.getUint8(11) & 1) === 0;
  }

  /** Bytes of this many samples of sound, in whole packets; null if the first description doesn't tell. */
  bytesOf(samples: number): number | null {
    const [entry] = this.#entries;
    if (entry === undefined || handlerOf(this.track) !== 'soun' || entry.bytes.byteLength < SOUND.bits + 2) return null;
    const { type, bytes } = entry;
    if (bytes.getUint16(SOUND.version) === 1 && bytes.byteLength >= SOUND.lengthOfVersion1) {
      const [inPacket, length] = [bytes.getUint32(SOUND.samplesPerPacket), bytes.getUint32(SOUND.bytesPerFrame)];
      if (inPacket > 0 && length > 0) return Math.floor(samples / inPacket) * length;
    }
    const packet = PLAIN.has(type) ? [1, Math.ceil(bytes.getUint16(SOUND.bits) / 8)] : PACKETS.get(type);
    const [inPacket = 1, length = 0] = packet ?? [];
    return length > 0 ? Math.floor(samples / inPacket) * length * bytes.getUint16(SOUND.channels) : null;
  }

  /** The scheme by which any of the samples are encrypted (`CENC`, `FairPlay`); null if none are. */
  get encryption(): string | null {
    const types = this.#entries.map(({ type }) => type);
    if (types.some((type) => ENCRYPTED.cenc.has(type))) return 'CENC';
    return types.some((type) => ENCRYPTED.fairPlay.has(type)) ? 'FairPlay' : null;
  }

  /** Chroma subsampling of the first description; null if it doesn't tell, and for unknown codecs. */
  get chroma(): string | null {
    const [entry] = this.#entries;
    if (entry === undefined || entry.bytes.byteLength < VIDEO_EXTENSIONS) return null;
    for (const { type, bytes } of boxesIn(entry.bytes, VIDEO_EXTENSIONS)) {
      const content = new Uint8Array(bytes.buffer, bytes.byteOffset + 8, bytes.byteLength - 8);
      if (Object.hasOwn(CHROMA_OF_BOX, type)) return CHROMA_OF_BOX[type]?.(content) ?? null;
    }
    return Object.hasOwn(CHROMA_OF_CODEC, entry.type) ? (CHROMA_OF_CODEC[entry.type] ?? null) : null;
  }
}

/** The boxes of a list that begins with version, flags and their number, which isn't trusted. */
const listOf = (content: Uint8Array | undefined): readonly Entry[] =>
  content === undefined ? [] : boxesIn(contentView(content), 8);

function boxesIn(view: DataView, start: number): readonly Entry[] {
  const boxes: Entry[] = [];
  for (let at = start; at + 8 <= view.byteLength; ) {
    const size = view.getUint32(at);
    if (size < 8 || at + size > view.byteLength) break;
    boxes.push({ type: fourCc(view, at + 4), bytes: new DataView(view.buffer, view.byteOffset + at, size) });
    at += size;
  }
  return boxes;
}
