import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryOf } from '@postshelf/harness';
import sharp from 'sharp';
import type { Benchmark, Figure } from '../benchmark.ts';
import { buildProgram } from '../binary/program.ts';
import { inTurn, type Spread, spreadOf } from '../in-turn.ts';
import { makeGrain } from '../support/bodies.ts';
import { figure } from '../support/side-by-side.ts';
import { IMAGE, orderFor, SIZE } from './order.ts';
import { makePhoto } from './photos.ts';

const ROUNDS = 7;
/** Number of images in a round, processed one after the other. */
const IMAGES = 5;

const MEMORY_ROUNDS = 3;

/** Number of tiles on a page of the library. */
const TILES = 60;

const MB = 1e6;

export const previews: Benchmark = {
  about:
    `Makes previews of ${SIZE.width} × ${SIZE.height} pixels of a grainy image of 12 megapixels. Ours: the program as one file decodes ` +
    'each image in a child process of its own, whose start is included. The service also confines the child by `ulimit` and ' +
    'namespaces, which is left out here. It is compared with a process of `sharp` for each image. Without a goal: `sharp` again and ' +
    'again in one process, which no service would use for files of strangers. Memory: the maximum of such a process. Tiles: the ' +
    `total size of the previews of ${TILES} synthetic photos of 12 megapixels, from skies to leaves, half of them upright.`,

  async run(progress) {
    const scratch = mkdtempSync(join(tmpdir(), 'postshelf-bench-'));
    try {
      progress('building');
      const program = await buildProgram();
      const figures: Figure[] = [];
      for (const format of ['jpeg', 'png'] as const) {
        progress(format.toUpperCase());
        const file = join(scratch, `image.${format}`);
        await Bun.write(file, await makeGrain(IMAGE.width, IMAGE.height)[format]().bytes());
        figures.push(
          ...(await compare(format.toUpperCase(), file, [program, '__decode-image', orderFor(`image/${format}`)])),
        );
      }
      progress(`${TILES} tiles`);
      figures.push(await weighTiles(program, scratch));
      return figures;
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  },
};

async function compare(what: string, file: string, ours: readonly string[]): Promise<Figure[]> {
  const theirs = [process.execPath, join(import.meta.dir, 'bare.ts')];
  const speed = await inTurn(
    ROUNDS,
    () => perSecond(() => makeOne(ours, file)),
    () => perSecond(() => makeOne(theirs, file)),
  );
  const warm = await warmSharp(file);
  const held = await memoryIn(ours, file);
  const theirHeld = await memoryIn(theirs, file);
  return [
    { ...figure(`${what}: ours ÷ sharp`, speed.ratio, 'ratio'), goal: { kind: 'at least', value: 0.5 } },
    figure(`${what}: ours`, speed.ours, 'images/s'),
    figure(`${what}: sharp`, speed.theirs, 'images/s'),
    figure(`${what}: sharp, again and again`, warm, 'images/s'),
    {
      what: `${what}: memory, ours ÷ sharp`,
      value: held.median / theirHeld.median,
      unit: 'ratio',
      goal: { kind: 'at most', value: 1 },
    },
    figure(`${what}: memory, ours`, held, 'MB'),
    figure(`${what}: memory, sharp`, theirHeld, 'MB'),
  ];
}

/** Returns the total size, in megabytes, of the previews on a page of tiles. */
async function weighTiles(program: string, scratch: string): Promise<Figure> {
  const file = join(scratch, 'photo.jpeg');
  let total = 0;
  for (let number = 0; number < TILES; number++) {
    const { jpeg, ...size } = await makePhoto(number);
    await Bun.write(file, jpeg);
    const made = await makeOne([program, '__decode-image', orderFor('image/jpeg', size)], file);
    total += made.length;
  }
  return { what: `${TILES} tiles`, value: total / MB, unit: 'MB', goal: { kind: 'at most', value: 1.5 } };
}

async function perSecond(make: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  for (let done = 0; done < IMAGES; done++) await make();
  return (IMAGES * 1000) / (performance.now() - start);
}

/** Measures the peak memory, in megabytes, of a command that processes the image. These rounds aren't timed. */
async function memoryIn(command: readonly string[], file: string): Promise<Spread> {
  const held: number[] = [];
  for (let round = 0; round < MEMORY_ROUNDS; round++) {
    let peak = Number.NaN;
    let isOver = false;
    const watch = async (pid: number): Promise<void> => {
      while (!isOver) {
        // Each reading replaces the previous one, because a child reports its parent's memory until it runs its own
        // program.
        peak = await memoryOf(pid).then(
          (memory) => memory.peak / MB,
          () => peak,
        );
        await Bun.sleep(1);
      }
    };
    let watching: Promise<void> | undefined;
    await makeOne(command, file, (pid) => {
      watching = watch(pid);
    });
    isOver = true;
    await watching;
    held.push(peak);
  }
  return spreadOf(held);
}

/** Runs a command with the image as its input. Returns its output: the preview, and a few bytes for a placeholder. */
async function makeOne(
  command: readonly string[],
  file: string,
  onStart: (pid: number) => void = () => undefined,
): Promise<Uint8Array> {
  const child = Bun.spawn([...command], { stdio: [Bun.file(file), 'pipe', 'inherit'], env: {} });
  onStart(child.pid);
  const made = await new Response(child.stdout).bytes();
  const code = await child.exited;
  if (code !== 0 || made.length < 100) throw new Error(`${command.join(' ')} ended with ${code}.`);
  return made;
}

async function warmSharp(file: string): Promise<Spread> {
  const bytes = await Bun.file(file).bytes();
  const round = () =>
    perSecond(async () => {
      await sharp(bytes).rotate().resize(SIZE.width, SIZE.height, { fit: 'fill' }).webp({ quality: 70 }).toBuffer();
    });
  await round();
  return spreadOf([await round(), await round(), await round()]);
}
