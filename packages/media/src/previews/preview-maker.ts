import {
  MAX_PLACEHOLDER_LENGTH,
  type MadePreviews,
  type PreviewMaker,
  type PreviewOrder,
  type PreviewSize,
  type PreviewSource,
} from '@postshelf/domain';
import { Damaged, Unreadable } from '@postshelf/domain/formats';
import { type Confinement, confine, findConfinement } from '../child/confinement.ts';
import { type CommandOutcome, runForOutcome } from '../child/run-command.ts';
import { openLocally } from '../child/temporary-file.ts';
import { readImage } from '../inspect/image.ts';
import { plainWebp } from './plain-webp.ts';
import { afterEachPicture, CANNOT_READ, type DecodeOrder, READY, readBegunBlocks, readBlocks } from './protocol.ts';

export interface PreviewMakerOptions {
  readonly command: readonly string[];
  /** Seconds of CPU time that a child may take. Default 15: 100 megapixels of PNG take two. */
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

const TIMEOUT_AHEAD = 5 * 60_000;

/**
 * Makes previews by this very program in a child process without environment and network, and with limits
 * (docs/decisions/11-previews.md). Its output is trusted as little as the picture.
 */
export function createPreviewMaker({
  command,
  cpuSeconds = 15,
  memoryBytes = 2_000_000 * 1024,
}: PreviewMakerOptions): PreviewMaker {
  const run = async (
    orders: readonly PreviewOrder[],
    confinement: Confinement,
    timeout: number,
    signal: AbortSignal,
    isQuiet: () => boolean = () => true,
  ): Promise<CommandOutcome> => {
    const words = orders.map(
      ({ source: { type, width, height }, sizes }): DecodeOrder => ({ type, width, height, sizes }),
    );
    // At this soft limit the child gets a signal of its own, unlike SIGKILL from elsewhere.
    const limited = ['/bin/sh', '-c', 'ulimit -S -t "$1" && shift && exec "$@"', 'sh', `${cpuSeconds}`];
    const limits = { memoryBytes, cpuSeconds: cpuSeconds + 1 };
    const confined = confine([...limited, ...command, JSON.stringify(words)], limits, confinement);
    await using files = new AsyncDisposableStack();
    const descriptors: number[] = [];
    for (const { source } of orders) {
      const file = await openLocally(source.bytes);
      if (file === null) throw new Error('The picture cannot be opened as a file.');
      descriptors.push(files.use(file).fd);
    }
    signal.throwIfAborted();
    const pause = new AbortController();
    const [stdin, ...others] = descriptors;
    const ended = await runForOutcome(confined, {
      ...(stdin !== undefined && { stdin }),
      files: others,
      maxOutput: MAX_OUTPUT_LENGTH,
      signal: AbortSignal.any([signal, pause.signal, AbortSignal.timeout(timeout)]),
      onOutput: afterEachPicture(() => isQuiet() || pause.abort()),
    });
    signal.throwIfAborted();
    if (ended === null) throw new Error('The process that decodes pictures cannot be started.');
    return ended;
  };

  return {
    async make(source, sizes, signal) {
      if (isTooLarge(source)) return null;
      const order = { source, sizes };
      const [made = null] = await readOutput(await run([order], await findConfinement(), TIMEOUT, signal), [order]);
      return made === 'undecided' ? null : made;
    },

    async makeAhead(orders, signal, isQuiet) {
      const decoded = orders.filter(({ source }) => !isTooLarge(source));
      if (decoded.length === 0) return orders.map(() => null);
      const ended = await run(decoded, await findConfinement('lowest'), TIMEOUT_AHEAD, signal, isQuiet);
      const made = [...(await readOutput(ended, decoded))];
      return orders.map(({ source }) => (isTooLarge(source) ? null : (made.shift() ?? null)));
    },
  };
}

const isTooLarge = ({ bytes }: PreviewSource): boolean => bytes.size > MAX_INPUT_LENGTH;

/**
 * @returns for each picture its previews; null if it can't be decoded; `undecided` from where the child ended early,
 * or was ended, unless that is the first picture, which then is to blame
 * @throws Error if no picture can be decoded at the moment
 */
async function readOutput(
  { output, exitCode, killed }: CommandOutcome,
  orders: readonly PreviewOrder[],
): Promise<readonly (MadePreviews | null | 'undecided')[]> {
  const alone = orders.map((_, index) => (index === 0 && orders.length === 1 ? null : ('undecided' as const)));
  if (output === null) return alone;
  const isReady = Buffer.compare(output.subarray(0, READY.length), READY) === 0;
  const { blocks } = readBegunBlocks(output.subarray(isReady ? READY.length : 0), orders.length);
  // Killed because the machine is out of memory, or by the timeout because it is too busy.
  if (!isReady || (blocks.length === 0 && (killed || exitCode === CANNOT_READ))) {
    throw new Error(`The process that decodes pictures ended early (${killed ? 'killed' : `exit code ${exitCode}`}).`);
  }
  return Promise.all(
    orders.map(({ sizes }, index) => {
      const block = blocks[index];
      if (block) return previewsOf(block, sizes);
      return index === 0 ? null : 'undecided';
    }),
  );
}

async function previewsOf(block: Uint8Array, sizes: readonly PreviewSize[]): Promise<MadePreviews | null> {
  const blocks = readBlocks(block, sizes.length + 1);
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
