import type { ByteSource, Cover, CoverMaker } from '@postshelf/domain';
import { Damaged, Unreadable } from '../inspect/bounded-reader.ts';
import { readImage } from '../inspect/image.ts';
import { confine, findConfinement } from './confinement.ts';
import { enoughBytes } from './enough-bytes.ts';
import { frameArguments } from './ffmpeg.ts';
import { openLocally } from './local-file.ts';
import { runCommand } from './run-command.ts';

export interface CoverMakerOptions {
  /** As {@link findFfmpeg} found it; null makes no covers. */
  readonly ffmpegPath: string | null;
  /** Milliseconds that a cover may take, and as much CPU time. Default 15,000. */
  readonly timeoutMs?: number;
  /** Bytes of address space that ffmpeg may take. Default 1 GiB: 4K HEVC needs half of that. */
  readonly memoryBytes?: number;
}

/** Bytes of a cover (see the port). */
const MAX_COVER_LENGTH = 10 * 1024 * 1024;

/** Seconds into the video at which the cover is taken: past a fade from black. */
const COVER_SECOND = 1;

/** A video that ends before {@link COVER_SECOND} has its first frame as its cover. */
const SEEK_SECONDS = [COVER_SECOND, 0];

/** Covers by ffmpeg, in a child process without environment and network, and with limits on all that it takes. */
export function createCoverMaker({
  ffmpegPath,
  timeoutMs = 15_000,
  memoryBytes = 1024 ** 3,
}: CoverMakerOptions): CoverMaker {
  if (ffmpegPath === null) return { make: async () => null };

  const limits = { memoryBytes, cpuSeconds: Math.ceil(timeoutMs / 1000) };

  const make = async (source: ByteSource, given?: AbortSignal): Promise<Cover | null> => {
    const confinement = await findConfinement();
    const signal = AbortSignal.any([...(given ? [given] : []), AbortSignal.timeout(timeoutMs)]);
    for (const second of SEEK_SECONDS) {
      // Each time anew: where /dev/stdin isn't opened anew, as on macOS, ffmpeg would go on where the one before ended.
      await using file = await openLocally(source);
      if (file === null) return null;
      const command = confine([ffmpegPath, ...frameArguments(second)], limits, confinement);
      const bytes = await runCommand(command, { stdin: file.fd, maxOutput: MAX_COVER_LENGTH, signal });
      const cover = bytes && (await coverOf(bytes));
      if (cover) return cover;
    }
    return null;
  };

  return { make, enough: (beginning) => enoughBytes(beginning, COVER_SECOND) };
}

/** The JPEG and the dimensions that its header claims; null when it is none, or not all there. */
async function coverOf(bytes: Uint8Array): Promise<Cover | null> {
  const source = {
    size: bytes.length,
    read: async (from: number, length: number) => bytes.subarray(from, from + length),
  };
  try {
    const { width, height } = await readImage('image/jpeg', source);
    return { bytes, width, height };
  } catch (error) {
    if (error instanceof Unreadable || error instanceof Damaged) return null;
    throw error;
  }
}
