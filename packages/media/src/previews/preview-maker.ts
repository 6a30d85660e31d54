import {
  MAX_PLACEHOLDER_LENGTH,
  type MadePreviews,
  type PreviewMaker,
  type PreviewSize,
  type PreviewSource,
} from '@postshelf/domain';
import { confine, findConfinement } from '../child/confinement.ts';
import { type CommandOutcome, runForOutcome } from '../child/run-command.ts';
import { openLocally } from '../child/temporary-file.ts';
import { Damaged, Unreadable } from '../inspect/bounded-reader.ts';
import { readImage } from '../inspect/image.ts';
import { plainWebp } from './plain-webp.ts';
import { CANNOT_READ, type DecodeOrder, READY, readBlocks } from './protocol.ts';

export interface PreviewMakerOptions {
  /** The command that starts this program as the child that decodes; the order is appended. */
  readonly command: readonly string[];
  /** Seconds of CPU time that a picture may take. Default 15: 100 megapixels of PNG take two. */
  readonly cpuSeconds?: number;
  /** Bytes of address space. Default some 2 GB: Bun reserves most of it and uses little. */
  readonly memoryBytes?: number;
}

/** Most bytes of a picture; larger ones aren't read. */
const MAX_INPUT_LENGTH = 256 * 1024 * 1024;

/** Most bytes of a picture's previews together, a hundred times what most need. */
const MAX_OUTPUT_LENGTH = 32 * 1024 * 1024;

/** Milliseconds after which a child is stopped, long enough for a busy machine. */
const TIMEOUT = 60_000;

/**
 * Makes previews by this very program, which decodes in a child process without environment and network, and with
 * limits on all that it uses (docs/decisions/036-previews.md). The child's output is trusted as little as the picture.
 */
export function createPreviewMaker({
  command,
  cpuSeconds = 15,
  memoryBytes = 2_000_000 * 1024,
}: PreviewMakerOptions): PreviewMaker {
  return {
    async make(source, sizes, signal) {
      if (source.bytes.size > MAX_INPUT_LENGTH) return null;
      const order: DecodeOrder = { type: source.type, width: source.width, height: source.height, sizes };
      // When the child reaches this soft limit, it gets a signal of its own, unlike SIGKILL from elsewhere.
      const limited = ['/bin/sh', '-c', 'ulimit -S -t "$1" && shift && exec "$@"', 'sh', `${cpuSeconds}`];
      const words = [...limited, ...command, JSON.stringify(order)];
      const confined = confine(words, { memoryBytes, cpuSeconds: cpuSeconds + 1 }, await findConfinement());
      signal.throwIfAborted();
      const ended = await run(confined, source, signal);
      signal.throwIfAborted();
      return readOutput(ended, sizes);
    },
  };
}

/** @throws Error if the child can't be started, or there is no file for it to read */
async function run(words: readonly string[], source: PreviewSource, signal: AbortSignal): Promise<CommandOutcome> {
  await using file = await openLocally(source.bytes);
  if (file === null) throw new Error('The picture cannot be opened as a file.');
  const ended = await runForOutcome(words, {
    stdin: file.fd,
    maxOutput: MAX_OUTPUT_LENGTH,
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]),
  });
  if (ended === null) throw new Error('The process that decodes pictures cannot be started.');
  return ended;
}

/**
 * Checks the output of the child.
 *
 * @returns null if the picture can't be decoded
 * @throws Error if no picture can be decoded at the moment
 */
async function readOutput(
  { output, exitCode, killed }: CommandOutcome,
  sizes: readonly PreviewSize[],
): Promise<MadePreviews | null> {
  if (output === null) return null;
  const isReady = Buffer.compare(output.subarray(0, READY.length), READY) === 0;
  // Killed because the machine is out of memory, or by the timeout because it is too busy.
  if (!isReady || killed || exitCode === CANNOT_READ) {
    throw new Error(`The process that decodes pictures ended early (${killed ? 'killed' : `exit code ${exitCode}`}).`);
  }
  if (exitCode !== 0) return null;
  const blocks = readBlocks(output.subarray(READY.length), sizes.length + 1);
  if (blocks === null) return null;
  const [placeholder = new Uint8Array(), ...made] = blocks;
  const files = await Promise.all(sizes.map((size, index) => checkFile(made[index], size)));
  const whole = files.filter((file) => file !== null);
  return whole.length === sizes.length ? { files: whole, placeholder: checkPlaceholder(placeholder) } : null;
}

/** The preview without metadata; null if it isn't a WebP of this size. */
async function checkFile(bytes: Uint8Array | undefined, { width, height }: PreviewSize): Promise<Uint8Array | null> {
  const plain = bytes ? plainWebp(bytes) : null;
  if (plain === null) return null;
  const read = async (from: number, length: number): Promise<Uint8Array> => plain.subarray(from, from + length);
  try {
    const found = await readImage('image/webp', { size: plain.length, read });
    return found.width === width && found.height === height ? plain : null;
  } catch (error) {
    if (error instanceof Damaged || error instanceof Unreadable) return null;
    throw error;
  }
}

function checkPlaceholder(bytes: Uint8Array): string | null {
  if (bytes.length > MAX_PLACEHOLDER_LENGTH) return null;
  const text = new TextDecoder().decode(bytes);
  return /^data:image\/png;base64,[\w+/]+={0,2}$/.test(text) ? text : null;
}
