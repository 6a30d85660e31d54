import { type ImageConverter, type MadeFile, Refusal } from '@postshelf/domain';
import { findConfinement } from '../child/confinement.ts';
import { type DecoderOptions, MAX_INPUT_LENGTH, runDecoder } from '../child/decoder.ts';
import { YES } from '../child/protocol.ts';
import { createTemporaryFile, madeFile } from '../child/temporary-file.ts';

export interface ImageConverterOptions {
  readonly decoder: DecoderOptions;
  /** The path of another build of libheif; null for the one in the program. */
  readonly libheif: string | null;
}

/**
 * An image of 48 megapixels takes 8 seconds of CPU time and 0.8 GB of memory if it is a HEIC, and 1.1 GB if it is an
 * AVIF. A HEIC of 100 megapixels takes 1.5 GB. Bun reserves another 1.4 GB, but uses little of it.
 */
const LIMITS = { cpuSeconds: 60, memoryBytes: 3_000_000 * 1024, codeBytes: 64 * 1024 * 1024 };

/** Milliseconds after which a child is stopped, long enough for a busy machine. */
const TIMEOUT = 120_000;

/** Maximum size of a converted file, in bytes. Previews can be made only of files up to this size. */
const MAX_BYTES = MAX_INPUT_LENGTH;

/** Converts images in the decoder child (docs/decisions/30-converted-images.md). */
export function createImageConverter({ decoder, libheif }: ImageConverterOptions): ImageConverter {
  return {
    async convert(source, type, signal) {
      if (source.size > MAX_INPUT_LENGTH) return null;
      const confinement = await findConfinement('low');
      try {
        const { file, unlink } = await createTemporaryFile();
        let made: MadeFile | null = null;
        try {
          await unlink();
          const [answer] = await runDecoder(
            { ...LIMITS, ...decoder },
            [{ source, order: { task: 'convert', type, libheif } }],
            { confinement, timeout: TIMEOUT, signal, output: { descriptor: file.fd, maxBytes: MAX_BYTES } },
          );
          const { size } = await file.stat();
          if (answer?.[0] === YES && size > 0) made = madeFile(file, size);
          return made;
        } finally {
          if (made === null) await file.close();
        }
      } catch (cause) {
        if (signal.aborted || cause instanceof Refusal) throw cause;
        throw new Refusal({ code: 'unavailable', message: 'Images cannot be converted right now.' }, { cause });
      }
    },
  };
}
