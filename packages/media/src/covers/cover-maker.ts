import {
  type ByteSource,
  COVER_SECOND,
  type Cover,
  type CoverMaker,
  type CoverPriority,
  type FrameTaker,
  LATER_COVER_SECONDS,
} from '@postshelf/domain';
import { Damaged, Unreadable } from '@postshelf/domain/formats';
import { type Confinement, confine, findConfinement } from '../child/confinement.ts';
import { type RunCommandOptions, runCommand } from '../child/run-command.ts';
import { keepLocally } from '../child/temporary-file.ts';
import { readImage } from '../inspect/image.ts';
import { MAX_REPORT } from './colours.ts';
import { frameArguments, shownFrameArguments } from './ffmpeg.ts';
import { findShownVideo, type ShownVideo } from './shown-video.ts';

export interface CoverMakerOptions {
  /** The path that {@link findFfmpeg} returned. If it is null, no covers are made. */
  readonly ffmpegPath: string | null;
  /** Maximum time for a cover in milliseconds, which also limits the CPU time. Default 15,000. */
  readonly timeoutMs?: number;
  /** Maximum size of ffmpeg's address space, in bytes. Default 1 GiB: 4K HEVC needs half of that. */
  readonly memoryBytes?: number;
}

/** Maximum bytes of a cover, as {@link CoverMaker} promises. */
const MAX_COVER_LENGTH = 10 * 1024 * 1024;

/**
 * Maximum bytes for each pixel of a JPEG on which nothing is to be seen, after its head. A black frame, or any other
 * that is plain, has 0.006; a frame that has faded in from black by a tenth has 0.013, and a title on black 0.015.
 */
const PLAIN = { head: 600, bytesPerPixel: 0.01 };

/**
 * How many seconds to go back from the chosen second; tried in turn until a frame is found, as the video may end
 * earlier.
 */
const STEPS_BACK = [0, 0.25, 1];

/** Maximum number of times that ffmpeg is run to get one frame. */
const MAX_RUNS = Math.max(2 + LATER_COVER_SECONDS.length, STEPS_BACK.length);

/**
 * Factor by which the timeout is longer at the lowest priority, because a busy machine then runs ffmpeg only rarely.
 */
const PATIENCE_AT_LOWEST = 4;

/** Makes covers with ffmpeg. The child process has limits, no environment variables and no network access. */
export function createCoverMaker({
  ffmpegPath,
  timeoutMs = 15_000,
  memoryBytes = 1024 ** 3,
}: CoverMakerOptions): CoverMaker & FrameTaker {
  if (ffmpegPath === null) return { make: async () => null, take: async () => 'no_tool' };

  const limits = { memoryBytes, cpuSeconds: Math.ceil(timeoutMs / 1000) };

  /**
   * Makes a cover with frames of a video.
   *
   * @param choose is called with the video, and with a function that runs ffmpeg; that returns null if ffmpeg writes no
   *   cover
   */
  const coverFrom = async (
    source: ByteSource,
    choose: (video: ShownVideo, frameBy: (args: readonly string[]) => Promise<Cover | null>) => Promise<Cover | null>,
    confinement: Confinement,
    signal: AbortSignal,
  ): Promise<Cover | null> => {
    await using local = await keepLocally(source, 1 + MAX_RUNS);
    if (local === null) return null;
    const run = async (args: readonly string[], output: Pick<RunCommandOptions, 'reads' | 'maxOutput'>) => {
      // The file is opened for each run: on macOS, reopening /dev/stdin shares the file offset, so a later ffmpeg would
      // start where the previous one ended.
      await using file = await local.open();
      if (file === null) return null;
      const command = confine([ffmpegPath, ...args], limits, confinement);
      return runCommand(command, { ...output, stdin: file.fd, signal });
    };
    const video = await findShownVideo(ffmpegPath, source, (args) =>
      run(args, { reads: 'stderr', maxOutput: MAX_REPORT }),
    );
    // Awaited here, because the local file is closed at the end of this function.
    return await choose(video, async (args) => {
      const bytes = await run(args, { maxOutput: MAX_COVER_LENGTH });
      return bytes && coverOf(bytes);
    });
  };

  const make = async (
    source: ByteSource,
    given?: AbortSignal,
    priority: CoverPriority = 'normal',
  ): Promise<Cover | null> => {
    const confinement = await findConfinement(priority);
    const timeout = AbortSignal.timeout(priority === 'lowest' ? PATIENCE_AT_LOWEST * timeoutMs : timeoutMs);
    const signal = AbortSignal.any([...(given ? [given] : []), timeout]);
    const cover = await coverFrom(
      source,
      async (video, frameBy) => {
        const frameAt = (second: number) => frameBy(frameArguments(second, video));
        // A video that ends before the second has its first frame as the cover.
        const usual = (await frameAt(COVER_SECOND)) ?? (await frameAt(0));
        if (usual === null || !isPlain(usual)) return usual;
        for (const second of LATER_COVER_SECONDS) {
          const later = await frameAt(second);
          if (later === null) break;
          if (!isPlain(later)) return later;
        }
        return usual;
      },
      confinement,
      signal,
    );
    if (cover) return cover;
    // At the lowest priority, a timeout is more likely caused by a busy machine than by the video.
    if (priority === 'lowest' && timeout.aborted) throw new Error('The cover was not made in time.');
    return null;
  };

  const take: FrameTaker['take'] = async (source, second, given) => {
    const signal = AbortSignal.any([given, AbortSignal.timeout(timeoutMs)]);
    const seconds = new Set(STEPS_BACK.map((step) => Math.max(0, second - step)));
    return coverFrom(
      source,
      async (video, frameBy) => {
        for (const each of seconds) {
          const frame = await frameBy(shownFrameArguments(each, video));
          if (frame) return frame;
        }
        return null;
      },
      await findConfinement(),
      signal,
    );
  };

  return { make, take };
}

const isPlain = ({ bytes, width, height }: Cover): boolean =>
  bytes.length - PLAIN.head <= PLAIN.bytesPerPixel * width * height;

/** Returns the cover; null if the bytes aren't a complete JPEG. */
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
