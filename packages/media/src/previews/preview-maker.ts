import {
  MAX_PLACEHOLDER_LENGTH,
  MAX_PREVIEW_HEIGHT,
  type MadePreviews,
  type PreviewMaker,
  type PreviewOrder,
  type PreviewSize,
  type PreviewSource,
} from '@postshelf/domain';
import { Damaged, Unreadable, Unsupported } from '@postshelf/domain/formats';
import { findConfinement } from '../child/confinement.ts';
import { type DecodeJob, type DecoderOptions, MAX_INPUT_LENGTH, runDecoder } from '../child/decoder.ts';
import { readBlocks } from '../child/protocol.ts';
import { readImage } from '../inspect/image.ts';
import { plainWebp } from './plain-webp.ts';

export type PreviewMakerOptions = DecoderOptions;

/** Milliseconds after which a child is stopped, long enough for a busy machine. */
const TIMEOUT = 60_000;

const TIMEOUT_AHEAD = 5 * 60_000;

/** Makes previews in the child that decodes images. */
export function createPreviewMaker(options: PreviewMakerOptions): PreviewMaker {
  return {
    async make(source, sizes, signal) {
      if (isTooLarge(source)) return null;
      const confinement = await findConfinement();
      const [block] = await runDecoder(options, [jobFor({ source, sizes })], { confinement, timeout: TIMEOUT, signal });
      return block ? previewsOf(block, sizes) : null;
    },

    async makeAhead(orders, signal, isQuiet) {
      const decoded = orders.filter(({ source }) => !isTooLarge(source));
      if (decoded.length === 0) return orders.map(() => null);
      const blocks = await runDecoder(options, decoded.map(jobFor), {
        confinement: await findConfinement('lowest'),
        timeout: TIMEOUT_AHEAD,
        signal,
        mayContinue: isQuiet,
      });
      const made = await Promise.all(
        decoded.map(({ sizes }, index) => {
          const block = blocks[index];
          return block ? previewsOf(block, sizes) : block === null ? null : ('undecided' as const);
        }),
      );
      return orders.map(({ source }) => (isTooLarge(source) ? null : (made.shift() ?? null)));
    },
  };
}

const isTooLarge = ({ bytes }: PreviewSource): boolean => bytes.size > MAX_INPUT_LENGTH;

const jobFor = ({ source: { bytes, type, width, height }, sizes }: PreviewOrder): DecodeJob => ({
  source: bytes,
  order: { task: 'previews', type, width, height, sizes },
});

async function previewsOf(block: Uint8Array, sizes: readonly PreviewSize[]): Promise<MadePreviews | null> {
  const blocks = readBlocks(block, sizes.length + 1);
  if (blocks === null) return null;
  const [placeholder = new Uint8Array(), ...made] = blocks;
  const files = await Promise.all(sizes.map((size, index) => checkFile(made[index], size)));
  const whole = files.filter((file) => file !== null);
  return whole.length === sizes.length ? { files: whole, placeholder: checkPlaceholder(placeholder) } : null;
}

/**
 * Returns the preview without metadata; null if it isn't a WebP of this width, or is too tall. Its exact height isn't
 * checked, because the decoder derives it from the decoded image.
 */
async function checkFile(bytes: Uint8Array | undefined, { width }: PreviewSize): Promise<Uint8Array | null> {
  const plain = bytes ? plainWebp(bytes) : null;
  if (plain === null) return null;
  const read = async (from: number, length: number): Promise<Uint8Array> => plain.subarray(from, from + length);
  try {
    const found = await readImage('image/webp', { size: plain.length, read });
    return found.width === width && found.height <= MAX_PREVIEW_HEIGHT ? plain : null;
  } catch (error) {
    if (error instanceof Damaged || error instanceof Unreadable || error instanceof Unsupported) return null;
    throw error;
  }
}

function checkPlaceholder(bytes: Uint8Array): string | null {
  if (bytes.length > MAX_PLACEHOLDER_LENGTH) return null;
  const text = new TextDecoder().decode(bytes);
  return /^data:image\/png;base64,[\w+/]+={0,2}$/.test(text) ? text : null;
}
