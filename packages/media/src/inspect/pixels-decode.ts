import { type ByteSource, Refusal } from '@postshelf/domain';
import { allCoefficientsDecode, allPixelsDecode } from '@postshelf/domain/formats';
import pLimit from 'p-limit';
import { findConfinement } from '../child/confinement.ts';
import { type DecoderOptions, MAX_INPUT_LENGTH, runDecoder } from '../child/decoder.ts';
import { YES } from '../child/protocol.ts';
import type { ImageType } from './dimensions.ts';

/**
 * Whether all pixels of an image that lacks its end marker decode.
 *
 * @throws Refusal `unavailable` if that can't be determined at the moment
 */
export type PixelCheck = (type: ImageType, source: ByteSource) => Promise<boolean>;

/** Whether all pixels decode. Runs in the child that decodes images. */
export function pixelsDecode(type: ImageType, bytes: Uint8Array): boolean {
  if (type === 'image/jpeg') return allCoefficientsDecode(bytes);
  return type === 'image/gif' && allPixelsDecode(bytes);
}

const CONCURRENCY = 2;

/** Milliseconds after which the child is stopped, long enough for a busy machine. */
const TIMEOUT = 60_000;

/** Like {@link pixelsDecode}, but in the confined child. Files that are too large for previews aren't decoded. */
export function createPixelCheck(options: DecoderOptions): PixelCheck {
  const limit = pLimit(CONCURRENCY);
  return async (type, source) => {
    if (source.size > MAX_INPUT_LENGTH) return false;
    return limit(async () => {
      const confinement = await findConfinement('low');
      const signal = new AbortController().signal;
      try {
        const [answer] = await runDecoder(options, [{ order: { task: 'pixels', type }, source }], {
          confinement,
          timeout: TIMEOUT,
          signal,
        });
        return answer?.[0] === YES;
      } catch (cause) {
        if (cause instanceof Refusal) throw cause;
        throw new Refusal({ code: 'unavailable', message: 'Files cannot be checked right now.' }, { cause });
      }
    });
  };
}
