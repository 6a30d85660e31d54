import type { ByteSource, Cover, CoverMaker, CoverPriority, FrameTaker } from '@postshelf/domain';
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

/** The second of the video that the cover shows. A fade from black at the start is usually over by then. */
const COVER_SECOND = 1;

/** Seconds to try in turn. The cover of a video that ends before {@link COVER_SECOND} is its first frame. */
const SEEK_SECONDS = [COVER_SECOND, 0];

/**
 * How many seconds to go back from the chosen second; tried in turn until a frame is found, as the video may end
 * earlier.
 */
const STEPS_BACK = [0, 0.25, 1];

/** Maximum number of times that ffmpeg is run to get one frame. */
const MAX_RUNS = Math.max(SEEK_SECONDS.length, STEPS_BACK.length);

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

  /** Runs ffmpeg with each list of arguments until it writes a cover. Returns the cover; null if no run wrote one. */
  const firstFrame = async (
    source: ByteSource,
    runs: (video: ShownVideo) => readonly (readonly string[])[],
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
    for (const args of runs(video)) {
      const bytes = await run(args, { maxOutput: MAX_COVER_LENGTH });
      const cover = bytes && (await coverOf(bytes));
      if (cover) return cover;
    }
    return null;
  };

  const make = async (
    source: ByteSource,
    given?: AbortSignal,
    priority: CoverPriority = 'normal',
  ): Promise<Cover | null> => {
    const confinement = await findConfinement(priority);
    const timeout = AbortSignal.timeout(priority === 'lowest' ? PATIENCE_AT_LOWEST * timeoutMs : timeoutMs);
    const signal = AbortSignal.any([...(given ? [given] : []), timeout]);
    const cover = await firstFrame(
      source,
      (video) => SEEK_SECONDS.map((second) => frameArguments(second, video)),
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
    const runs = (video: ShownVideo) => Array.from(seconds, (each) => shownFrameArguments(each, video));
    return firstFrame(source, runs, await findConfinement(), signal);
  };

  return { make, take };
}

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
