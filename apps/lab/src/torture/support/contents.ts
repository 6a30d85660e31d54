import { createHash } from 'node:crypto';
import { Random } from '@postshelf/harness';
import { fixture } from '@postshelf/testing/fixtures';

/** Returns a hash in lower-case hex. */
export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const KINDS = {
  jpeg: { fixture: 'jpeg', mime: 'image/jpeg', extension: 'jpg' },
  png: { fixture: 'png', mime: 'image/png', extension: 'png' },
  mp4: { fixture: 'mp4', mime: 'video/mp4', extension: 'mp4' },
} as const;

type Kind = keyof typeof KINDS;

/** The description of a unique file, from which the file can be made again. */
export interface Content {
  readonly number: number;
  readonly kind: Kind;
  /** Bytes of noise after the image or the video. */
  readonly filling: number;
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
  readonly mime: string;
  readonly extension: string;
}

const NOISE_LENGTH = 12 * 1024 * 1024;
const MARK_LENGTH = 16;
const BOX_HEADER_LENGTH = 8;

/** Makes small images and videos that contain noise. No two files are equal, and no two pieces of a file are. */
export class Contents {
  private constructor(
    private readonly heads: Readonly<Record<Kind, Uint8Array>>,
    private readonly noise: Uint8Array,
  ) {}

  static async open(seed: number): Promise<Contents> {
    const bytesOf = async (kind: Kind) => (await fixture(KINDS[kind].fixture)).bytes();
    const [jpeg, png, mp4] = await Promise.all([bytesOf('jpeg'), bytesOf('png'), bytesOf('mp4')]);
    const random = new Random(seed);
    const words = new Uint32Array(NOISE_LENGTH / 4);
    // A loop, because a callback for each of three million words takes half as long again.
    for (let index = 0; index < words.length; index += 1) words[index] = random.below(2 ** 32);
    return new Contents({ jpeg, png, mp4 }, new Uint8Array(words.buffer));
  }

  /**
   * Describes a file.
   *
   * @param filling the number of bytes of noise, at most 10 MB
   */
  describe(number: number, kind: Kind, filling: number): Content {
    const { mime, extension } = KINDS[kind];
    const bytes = this.#make(number, kind, filling);
    return { number, kind, filling, size: bytes.length, sha256: sha256(bytes), mime, extension };
  }

  bytesOf({ number, kind, filling }: Content): Uint8Array {
    return this.#make(number, kind, filling);
  }

  #make(number: number, kind: Kind, filling: number): Uint8Array {
    const mark = Buffer.alloc(MARK_LENGTH);
    mark.writeUInt32BE(number, MARK_LENGTH - 4);
    const start = (number * 7919) % (NOISE_LENGTH - filling);
    const tail = [mark, this.noise.subarray(start, start + filling)];
    return Buffer.concat([this.heads[kind], ...(kind === 'mp4' ? [freeBox(MARK_LENGTH + filling)] : []), ...tail]);
  }
}

/** Returns the head of a box that readers of MP4 skip (ISO/IEC 14496-12 section 8.1.2). */
function freeBox(length: number): Uint8Array {
  const head = Buffer.alloc(BOX_HEADER_LENGTH);
  head.writeUInt32BE(BOX_HEADER_LENGTH + length);
  head.write('free', 4);
  return head;
}
