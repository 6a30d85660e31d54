import {
  contentAt,
  contentView,
  descriptionsOf,
  entriesOf,
  handlerOf,
  type ParentBox,
} from '@postshelf/domain/formats';

interface Entry {
  readonly type: string;
  readonly bytes: DataView;
}

/** Offsets in a sample description (ISO/IEC 14496-12, section 8.5.2; QuickTime File Format, "Sound media"). */
const DATA_REFERENCE = 14;
const SOUND = { version: 16, channels: 24, bits: 26, samplesPerPacket: 36, bytesPerFrame: 44, lengthOfVersion1: 52 };

/**
 * Values that older sound descriptions lack. `PLAIN`: the codecs without packets. `PACKETS`: for other codecs, the
 * number of samples per packet, and of bytes per packet and channel.
 */
const PLAIN: ReadonlySet<string> = new Set(['raw ', 'twos', 'sowt', 'NONE']);
const PACKETS: ReadonlyMap<string, readonly [samples: number, bytes: number]> = new Map([
  ['ima4', [64, 34]],
  ['MAC3', [6, 2]],
  ['MAC6', [6, 1]],
  ['agsm', [160, 33]],
]);

/**
 * Types that replace a codec's type if samples are encrypted, either by a common scheme (ISO/IEC 14496-12, section
 * 8.12) or by FairPlay, as in files from Apple's store.
 */
const ENCRYPTED = { cenc: new Set(['encv', 'enca', 'encs']), fairPlay: new Set(['drmi', 'drms']) };

/** The formats of a track's samples (`stsd`), and the files in which the samples may be (`dref`). */
export class SampleDescriptions {
  readonly #entries: readonly Entry[];
  readonly #files: readonly Entry[];

  constructor(private readonly track: ParentBox) {
    this.#entries = listOf(descriptionsOf(track));
    const files = contentAt(track, 'mdia', 'minf', 'dinf', 'dref');
    this.#files = listOf(files === undefined ? null : contentView(files));
  }

  /** Whether samples of this description are in another file. Descriptions are counted from 1. */
  isElsewhere(description: number): boolean {
    const entry = this.#entries[description - 1]?.bytes;
    if (entry === undefined || entry.byteLength < DATA_REFERENCE + 2) return false;
    const file = this.#files[entry.getUint16(DATA_REFERENCE) - 1]?.bytes;
    // This flag after the version means that the samples are in the same file.
    return file !== undefined && file.byteLength >= 12 && (file.getUint8(11) & 1) === 0;
  }

  /**
   * Returns the number of bytes that this many samples of sound take, in whole packets; null if the first description
   * doesn't specify it.
   */
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

  /** The scheme with which any of the samples are encrypted (`CENC`, `FairPlay`); null if no samples are. */
  get encryption(): string | null {
    const types = this.#entries.map(({ type }) => type);
    if (types.some((type) => ENCRYPTED.cenc.has(type))) return 'CENC';
    return types.some((type) => ENCRYPTED.fairPlay.has(type)) ? 'FairPlay' : null;
  }
}

function listOf(list: DataView | null): readonly Entry[] {
  if (list === null) return [];
  const { buffer, byteOffset } = list;
  return Array.from(entriesOf(list), ({ type, from, end }) => ({
    type,
    bytes: new DataView(buffer, byteOffset + from, end - from),
  }));
}
