import { type FileHandle, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { ByteSource, FitFailure, FitOrder, MadeFile, MediaFitter } from '@postshelf/domain';
import { Damaged, Unreadable, Unsupported } from '@postshelf/domain/formats';
import { type Confinement, confine, findConfinement } from '../child/confinement.ts';
import { type DecoderOptions, MAX_INPUT_LENGTH, runDecoder } from '../child/decoder.ts';
import { YES } from '../child/protocol.ts';
import { type CommandOutcome, runCommand, runForOutcome } from '../child/run-command.ts';
import { createTemporaryFile, keepLocally, madeFile, openLocally, WHY_NOT_LOCAL } from '../child/temporary-file.ts';
import { MAX_REPORT } from '../covers/colours.ts';
import { findShownVideo, type ShownVideo } from '../covers/shown-video.ts';
import { readImage } from '../inspect/image.ts';
import { fitArguments } from './arguments.ts';

export interface MediaFitterOptions {
  readonly ffmpegPath: string | null;
  /** Options of the child that decodes images. */
  readonly decoder: DecoderOptions;
  /**
   * Maximum size of ffmpeg's address space, in bytes. Default 1.5 GiB: images of 64 megapixels use 0.9 GiB, 4K videos
   * 0.6.
   */
  readonly memoryBytes?: number;
}

/**
 * Limits for a still: CPU time in seconds, and size in bytes. A still of 24 megapixels with a profile takes ten seconds
 * and has 97 MB.
 */
const STILL_SECONDS = 60;
const MAX_STILL_BYTES = 128 * 1024 * 1024;

const CANNOT_RUN = [126, 127];

/** Maximum bytes of progress reports. ffmpeg writes two per second, of about 300 bytes each. */
const MAX_REPORTS = 8 * 1024 * 1024;

const MIN_ROOM = 64 * 1024 * 1024;

/** Makes fitted files with ffmpeg, which is confined as for covers, except that it may write one file. */
export function createMediaFitter({
  ffmpegPath,
  decoder,
  memoryBytes = 1.5 * 1024 ** 3,
}: MediaFitterOptions): MediaFitter {
  return {
    isAvailable: async () => ffmpegPath !== null,

    async make(source, order): Promise<MadeFile | FitFailure> {
      if (ffmpegPath === null) return 'unreadable';
      const timeout = AbortSignal.timeout(order.maxTimeMs);
      const signal = AbortSignal.any([order.signal, timeout]);
      const confinement = await findConfinement('low');
      const limits = { memoryBytes, cpuSeconds: Math.ceil(order.maxTimeMs / 1000), fileBytes: order.maxBytes };
      const report = (file: FileHandle) => (args: readonly string[]) =>
        runCommand(confine([ffmpegPath, ...args], limits, confinement), {
          reads: 'stderr',
          maxOutput: MAX_REPORT,
          stdin: file.fd,
          signal,
        });
      const input =
        order.attempt.type === 'video/mp4'
          ? await openMovie(source, order, (video, file) => findShownVideo(ffmpegPath, video, report(file)))
          : await openStill(decoder, source, order, { confinement, timeout });
      if (typeof input === 'string') return input;
      const { video } = input;
      await using original = input.file;
      const output = await createTemporaryFile();
      const made = output.file;
      try {
        const ended = await runForOutcome(
          confine(
            [ffmpegPath, ...fitArguments(order.attempt, { ...order, video, output: output.path })],
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
        if (failure === null) return madeFile(made, size);
        await made.close();
        return failure;
      } catch (error) {
        await made.close();
        throw error;
      } finally {
        await output.unlink();
      }
    },
  };
}

/** The input of ffmpeg. */
interface Input {
  readonly file: FileHandle;
  /** null for an image. */
  readonly video: ShownVideo | null;
}

async function openMovie(
  source: ByteSource,
  { from }: FitOrder,
  find: (source: ByteSource, file: FileHandle) => Promise<ShownVideo>,
): Promise<Input> {
  if (from === 'image/gif') return { file: await opened(openLocally(await withWholeScreen(source))), video: null };
  await using local = await keepLocally(source, 2);
  if (local === null) throw new Error(CANNOT_OPEN);
  // The file is opened twice: on macOS, reopening /dev/stdin shares the file offset, so the second ffmpeg would start
  // where the first one ended.
  await using probed = await opened(local.open());
  const video = await find(source, probed);
  return { file: await opened(local.open()), video };
}

const CANNOT_OPEN = `The original cannot be opened as a file: ${WHY_NOT_LOCAL}.`;

async function opened(opening: Promise<FileHandle | null>): Promise<FileHandle> {
  const file = await opening;
  if (file === null) throw new Error(CANNOT_OPEN);
  return file;
}

/** Opens a still of an image, as previews show it. Returns the reason if no still can be made. */
async function openStill(
  decoder: DecoderOptions,
  source: ByteSource,
  { attempt, crop, from, signal, maxTimeMs }: FitOrder,
  { confinement, timeout }: { readonly confinement: Confinement; readonly timeout: AbortSignal },
): Promise<Input | FitFailure> {
  if (source.size > MAX_INPUT_LENGTH) return 'unreadable';
  const { file, unlink } = await createTemporaryFile();
  let isMade = false;
  try {
    await unlink();
    const [made] = await runDecoder(
      { cpuSeconds: STILL_SECONDS, ...decoder },
      [{ source, order: { task: 'still', type: from, canvas: canvasOf(attempt, crop) } }],
      {
        confinement,
        timeout: maxTimeMs,
        signal: AbortSignal.any([signal, timeout]),
        output: { descriptor: file.fd, maxBytes: MAX_STILL_BYTES },
      },
    );
    isMade = made?.[0] === YES;
    return isMade ? { file, video: null } : 'unreadable';
  } catch (error) {
    if (signal.aborted) return 'aborted';
    if (timeout.aborted) return 'too_long';
    throw error;
  } finally {
    if (!isMade) await file.close();
  }
}

/**
 * Returns the size of a canvas for the uncropped image. It is so large that the part that is cropped later covers the
 * attempt's canvas.
 */
const canvasOf = ({ width, height }: FitOrder['attempt'], crop: FitOrder['crop']) => ({
  width: Math.ceil(width / (crop?.width ?? 1)),
  height: Math.ceil(height / (crop?.height ?? 1)),
});

/** Bytes 6 to 9 of a GIF, which are the width and the height of its screen, little-endian (GIF89a, section 18). */
const SCREEN = { at: 6, length: 4 };

/**
 * Returns a GIF whose logical screen has the size of the canvas that viewers show, because ffmpeg cuts off or refuses
 * parts outside the screen.
 */
async function withWholeScreen(source: ByteSource): Promise<ByteSource> {
  try {
    const { width, height } = await readImage('image/gif', source, async () => true);
    const screen = Buffer.alloc(SCREEN.length);
    screen.writeUInt16LE(width, 0);
    screen.writeUInt16LE(height, 2);
    if (screen.equals(await source.read(SCREEN.at, SCREEN.length))) return source;
    const read = async (offset: number, length: number): Promise<Uint8Array> => {
      const bytes = new Uint8Array(await source.read(offset, length));
      for (const [index, byte] of screen.entries()) {
        const at = SCREEN.at + index - offset;
        if (at >= 0 && at < bytes.length) bytes[at] = byte;
      }
      return bytes;
    };
    return { size: source.size, read };
  } catch (error) {
    // The source can't be read, or can no longer be read. ffmpeg will report that.
    if (error instanceof Unreadable || error instanceof Damaged || error instanceof Unsupported) return source;
    throw error;
  }
}

/**
 * Returns the reason if no file was made because of the original, a limit or the caller; null if a file was made.
 *
 * @throws Error if the machine is to blame, for example because its disk is full
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
  // The system's limit on the file's size is rounded up to whole blocks, so the file may exceed `maxBytes`.
  if (size >= maxBytes) return 'too_large';
  if (ended.exitCode === 0 && size > 0) return null;
  // The ffmpeg program existed when the service started, so it has been removed or replaced since.
  if (CANNOT_RUN.includes(ended.exitCode ?? 0)) throw new Error('ffmpeg cannot be started.');
  // ffmpeg was killed because the machine is out of memory.
  if (ended.killed) throw new Error('ffmpeg was killed.');
  const { bavail, bsize } = await statfs(tmpdir());
  if (bavail * bsize < MIN_ROOM) throw new Error('There is no space for temporary files.');
  return 'unreadable';
}

/** Parses ffmpeg's progress reports, each of which has a line with the time in microseconds. */
function reportTo({ onProgress }: FitOrder): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder();
  return (chunk) => {
    const found = [...decoder.decode(chunk, { stream: true }).matchAll(/^out_time_us=(\d+)\n/gm)].at(-1);
    if (found) onProgress?.(Math.floor(Number(found[1]) / 1000));
  };
}
