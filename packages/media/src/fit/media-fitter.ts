import { type FileHandle, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import {
  type ByteSource,
  type FitFailure,
  type FitOrder,
  type FittedFile,
  kindOf,
  type MediaFitter,
} from '@postshelf/domain';
import { Damaged, Unreadable } from '@postshelf/domain/formats';
import { confine, findConfinement } from '../child/confinement.ts';
import { type CommandOutcome, runCommand, runForOutcome } from '../child/run-command.ts';
import { createTemporaryFile, keepLocally, type LocalFile } from '../child/temporary-file.ts';
import { MAX_REPORT } from '../covers/colours.ts';
import { findShownVideo } from '../covers/shown-video.ts';
import { readOrientation } from '../inspect/image.ts';
import { fitArguments } from './arguments.ts';

export interface MediaFitterOptions {
  readonly ffmpegPath: string | null;
  /** Default 1.5 GiB: pictures of 64 megapixels use 0.9, videos in 4K 0.6. */
  readonly memoryBytes?: number;
}

const CANNOT_RUN = [126, 127];

/** Most bytes of ffmpeg's progress reports: it writes two a second, of some 300 bytes. */
const MAX_REPORTS = 8 * 1024 * 1024;

const LEAST_ROOM = 64 * 1024 * 1024;

/** Makes files that fit, by ffmpeg, confined as for covers, and with one file to write. */
export function createMediaFitter({ ffmpegPath, memoryBytes = 1.5 * 1024 ** 3 }: MediaFitterOptions): MediaFitter {
  return {
    isAvailable: async () => ffmpegPath !== null,

    async make(source, order): Promise<FittedFile | FitFailure> {
      if (ffmpegPath === null) return 'unreadable';
      const orientation = await orientationOf(order, source);
      const timeout = AbortSignal.timeout(order.maxTimeMs);
      const signal = AbortSignal.any([order.signal, timeout]);
      const confinement = await findConfinement('low');
      const limits = { memoryBytes, cpuSeconds: Math.ceil(order.maxTimeMs / 1000), fileBytes: order.maxBytes };
      await using local = await keepLocally(source, 2);
      if (local === null) throw new Error(CANNOT_OPEN);
      const report = async (args: readonly string[]) => {
        await using file = await openOriginal(local);
        const command = confine([ffmpegPath, ...args], limits, confinement);
        return runCommand(command, { reads: 'stderr', maxOutput: MAX_REPORT, stdin: file.fd, signal });
      };
      const video = kindOf(order.from) === 'video' ? await findShownVideo(ffmpegPath, source, report) : null;
      const original = await openOriginal(local);
      await using _ = original;
      const output = await createTemporaryFile();
      const made = output.file;
      try {
        const ended = await runForOutcome(
          confine(
            [ffmpegPath, ...fitArguments(order.attempt, { ...order, orientation, video, output: output.path })],
            limits,
            confinement,
          ),
          {
            stdin: original.fd,
            maxOutput: MAX_REPORTS,
            signal,
            onOutput: reportTo(order),
          },
        );
        const { size } = await made.stat();
        const failure = await failureOf(ended, size, order, timeout);
        if (failure === null) return fittedFile(made, size);
        await made.close();
        return failure;
      } catch (error) {
        await made.close();
        throw error;
      } finally {
        await output.forget();
      }
    },
  };
}

/** 1 if it can't be read (any more): ffmpeg will report that. */
async function orientationOf({ from }: FitOrder, source: ByteSource): Promise<number> {
  if (kindOf(from) === 'video') return 1;
  try {
    return await readOrientation(from, source);
  } catch (error) {
    if (error instanceof Unreadable || error instanceof Damaged) return 1;
    throw error;
  }
}

const CANNOT_OPEN = 'The original cannot be opened as a file.';

async function openOriginal(local: LocalFile): Promise<FileHandle> {
  const file = await local.open();
  if (file === null) throw new Error(CANNOT_OPEN);
  return file;
}

/**
 * Why no file was made, if the original or its size is the reason; null if one was made.
 *
 * @throws Error for every other reason
 */
async function failureOf(
  ended: CommandOutcome | null,
  size: number,
  { signal, maxBytes }: FitOrder,
  timeout: AbortSignal,
): Promise<FitFailure | null> {
  if (signal.aborted) return 'aborted';
  if (timeout.aborted) return 'too_long';
  if (ended === null) throw new Error('ffmpeg cannot be started.');
  // The limit of the file size is a multiple of blocks.
  if (size >= maxBytes) return 'too_large';
  if (ended.exitCode === 0 && size > 0) return null;
  // ffmpeg existed when the service started.
  if (CANNOT_RUN.includes(ended.exitCode ?? 0)) throw new Error('ffmpeg cannot be started.');
  // By a machine that is out of memory.
  if (ended.killed) throw new Error('ffmpeg was killed.');
  const { bavail, bsize } = await statfs(tmpdir());
  if (bavail * bsize < LEAST_ROOM) throw new Error('There is no space for temporary files.');
  return 'unreadable';
}

const CHUNK_LENGTH = 256 * 1024;

function fittedFile(file: FileHandle, size: number): FittedFile {
  return {
    size,
    async *body() {
      for (let offset = 0; offset < size; ) {
        const { bytesRead, buffer } = await file.read(Buffer.alloc(CHUNK_LENGTH), 0, CHUNK_LENGTH, offset);
        if (bytesRead === 0) throw new Error(`The file ended at ${offset} of ${size} bytes.`);
        yield buffer.subarray(0, bytesRead);
        offset += bytesRead;
      }
    },
    [Symbol.asyncDispose]: () => file.close(),
  };
}

/** Parses ffmpeg's progress reports, each of which has a line with the time in microseconds. */
function reportTo({ onProgress }: FitOrder): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder();
  return (chunk) => {
    const found = [...decoder.decode(chunk, { stream: true }).matchAll(/^out_time_us=(\d+)\n/gm)].at(-1);
    if (found) onProgress?.(Math.floor(Number(found[1]) / 1000));
  };
}
