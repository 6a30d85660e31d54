import {
  MAX_PLACEHOLDER_LENGTH,
  type MadePreviews,
  type PreviewMaker,
  type PreviewSize,
  type PreviewSource,
} from '@postshelf/domain';
import { confine, findConfinement } from '../covers/confinement.ts';
import { openLocally } from '../covers/local-file.ts';
import { type Ended, runToEnd } from '../covers/run-command.ts';
import { Damaged, Unreadable } from '../inspect/bounded-reader.ts';
import { readImage } from '../inspect/image.ts';
import { plainWebp } from './plain-webp.ts';
import { CANNOT_READ, type DecodeOrder, READY, readBlocks } from './protocol.ts';

export interface PreviewMakerOptions {
  /** Words that start this program as the child that decodes; the order follows. */
  readonly command: readonly string[];
  /** Seconds of CPU time that a picture may take. Default 15: 100 megapixels of PNG take two. */
  readonly cpuSeconds?: number;
  /** Bytes of address space. Default some 2 GB, of which Bun sets most aside and uses little. */
  readonly memoryBytes?: number;
}

/** Bytes of a picture: more is never read whole. */
const MAX_INPUT_LENGTH = 256 * 1024 * 1024;

/** Bytes of all that is made of one: at the quality that is asked for, a hundred times as much as of most. */
const MAX_OUTPUT_LENGTH = 32 * 1024 * 1024;

/** Milliseconds that a child may take on a machine that is busy with other things. */
const TIMEOUT = 60_000;

/**
 * Previews by this very program, which decodes in a child process without environment and network, and with limits on all
 * that it takes (docs/decisions/036-previews.md). What the child answers is believed no more than the picture.
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
      // Beyond the soft limit it ends by a signal of its own, which tells that from being killed by others.
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

/** @throws Error where the child can't be started, or there is nothing that it could read */
async function run(words: readonly string[], source: PreviewSource, signal: AbortSignal): Promise<Ended> {
  await using file = await openLocally(source.bytes);
  if (file === null) throw new Error('The picture cannot be opened as a file.');
  const ended = await runToEnd(words, {
    stdin: file.fd,
    maxOutput: MAX_OUTPUT_LENGTH,
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]),
  });
  if (ended === null) throw new Error('The process that decodes pictures cannot be started.');
  return ended;
}

/**
 * @returns null where it is the picture that can't be decoded
 * @throws Error where nothing can be decoded just now
 */
async function readOutput(
  { output, exitCode, killed }: Ended,
  sizes: readonly PreviewSize[],
): Promise<MadePreviews | null> {
  if (output === null) return null;
  const isReady = Buffer.compare(output.subarray(0, READY.length), READY) === 0;
  // Killed by a machine that is out of memory, or by the clock where it is too busy.
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

/** The preview without anything but the picture; null for one that isn't of this size. */
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
