import type { ByteSource } from '@postshelf/domain';
import { type Confinement, confine } from './confinement.ts';
import {
  afterEachImage,
  CANNOT_LOAD,
  CANNOT_READ,
  CANNOT_WRITE,
  type Order,
  READY,
  readCompleteBlocks,
} from './protocol.ts';
import { type CommandOutcome, runForOutcome } from './run-command.ts';
import { openLocally, WHY_NOT_LOCAL } from './temporary-file.ts';

export interface DecoderOptions {
  /** Command that starts this program as the decoder child. */
  readonly command: readonly string[];
  /** Maximum CPU time of a child, in seconds. Default 15: a PNG of 100 megapixels takes two. */
  readonly cpuSeconds?: number;
  /** Maximum size of the address space, in bytes. Default about 2 GB: Bun reserves most of it and uses little. */
  readonly memoryBytes?: number;
  /**
   * The part of {@link memoryBytes} that Bun reserves for compiled code. Default: 1 GB if there is room for it;
   * otherwise none, and code is interpreted.
   */
  readonly codeBytes?: number;
}

/** Maximum size of an image, in bytes. Larger images aren't read. */
export const MAX_INPUT_LENGTH = 256 * 1024 * 1024;

/** Maximum number of bytes that a child is allowed to write: a hundred times the usual amount. */
const MAX_OUTPUT_LENGTH = 32 * 1024 * 1024;

export interface DecodeJob {
  readonly order: Order;
  readonly source: ByteSource;
}

export interface RunOptions {
  /** A file that the child may write, up to `maxBytes`. Default none. */
  readonly output?: { readonly descriptor: number; readonly maxBytes: number };
  readonly confinement: Confinement;
  /** Time limit in milliseconds. */
  readonly timeout: number;
  readonly signal: AbortSignal;
  /** Whether the child may go on to the next image. Default: always true. */
  readonly mayContinue?: () => boolean;
}

/**
 * Runs the child that decodes images. The child has limits, and neither an environment nor network access
 * (docs/decisions/11-previews.md). Its output is trusted as little as the images.
 *
 * @returns a block for each finished image; a single null if the first image can't be decoded; an empty list if the
 *   child got several images and wrote too much
 * @throws Error if no image can be decoded at the moment; the signal's reason; whatever a source throws
 */
export async function runDecoder(
  { command, cpuSeconds = 15, memoryBytes = 2_000_000 * 1024, codeBytes }: DecoderOptions,
  jobs: readonly DecodeJob[],
  { confinement, timeout, signal, output, mayContinue = () => true }: RunOptions,
): Promise<readonly (Uint8Array | null)[]> {
  // At its soft limit of CPU time, the child gets SIGXCPU, which can be told apart from a SIGKILL by another process.
  const setCode = codeBytes === undefined ? '' : `export BUN_JSC_jitMemoryReservationSize=${codeBytes} && `;
  const limited = ['/bin/sh', '-c', `${setCode}ulimit -S -t "$1" && shift && exec "$@"`, 'sh', `${cpuSeconds}`];
  const orders = JSON.stringify(jobs.map(({ order }) => order));
  const limits = { memoryBytes, cpuSeconds: cpuSeconds + 1, fileBytes: output?.maxBytes ?? 0 };
  const confined = confine([...limited, ...command, orders], limits, confinement);
  await using files = new AsyncDisposableStack();
  const descriptors: number[] = [];
  for (const { source } of jobs) {
    const file = await openLocally(source);
    if (file === null) throw new Error(`The image cannot be opened as a file: ${WHY_NOT_LOCAL}.`);
    descriptors.push(files.use(file).fd);
  }
  signal.throwIfAborted();
  const pause = new AbortController();
  const [stdin, ...others] = descriptors;
  const ended = await runForOutcome(confined, {
    ...(stdin !== undefined && { stdin }),
    files: output ? [...others, output.descriptor] : others,
    maxOutput: MAX_OUTPUT_LENGTH,
    signal: AbortSignal.any([signal, pause.signal, AbortSignal.timeout(timeout)]),
    onOutput: afterEachImage(() => mayContinue() || pause.abort()),
  });
  signal.throwIfAborted();
  if (ended === null) throw new Error('The process that decodes images cannot be started.');
  return blocksOf(ended, jobs.length);
}

const MACHINE_FAULTS = [CANNOT_READ, CANNOT_WRITE, CANNOT_LOAD];

function blocksOf({ output, exitCode, killed }: CommandOutcome, wanted: number): readonly (Uint8Array | null)[] {
  // The child wrote too much. With several images, it isn't known which one was the cause.
  if (output === null) return wanted === 1 ? [null] : [];
  const isReady = Buffer.compare(output.subarray(0, READY.length), READY) === 0;
  const { blocks } = readCompleteBlocks(output.subarray(isReady ? READY.length : 0), wanted);
  // The machine is at fault: the child didn't start properly, or was killed because memory ran out or the timeout was
  // reached, or reported a fault of the machine by its exit code.
  if (!isReady || (blocks.length === 0 && (killed || MACHINE_FAULTS.includes(exitCode ?? 0)))) {
    throw new Error(`The process that decodes images ended early (${killed ? 'killed' : `exit code ${exitCode}`}).`);
  }
  return blocks.length === 0 ? [null] : blocks;
}
