import { memoryOf } from '@postshelf/harness';
import fc from 'fast-check';
import type { Case } from './case.ts';
import { Collection } from './corpus.ts';
import { play } from './play.ts';
import { checkUp, leftovers } from './service/check-up.ts';
import { World } from './service/world.ts';
import { TARGETS } from './targets/targets.ts';

export interface FuzzOptions {
  readonly minutes: number;
  readonly seed: number;
  readonly targets: readonly string[];
}

/** A fault of the service, with the smallest case that shows it. */
interface Failure {
  readonly target: string;
  readonly complaint: string;
  /** null if the fault was found only after a batch, so that the case that caused it is unknown. */
  readonly case: Case | null;
  /** The seed of the batch. */
  readonly seed: number;
}

/** The result of a run. */
export interface Tally {
  readonly cases: Readonly<Record<string, number>>;
  readonly collections: Readonly<Record<string, Collection>>;
  readonly failures: readonly Failure[];
  /**
   * Memory of the services in bytes: `peak` is the maximum at any time, and `rest` is the maximum after a service's
   * last batch.
   */
  readonly peak: number;
  readonly rest: number;
  readonly services: number;
}

/** Number of cases between two check-ups, unless the target sets another number. */
const BATCH = 100;
/**
 * Number of batches of each target that are sent to one service. After them, the run checks the service for leftover
 * files and rows, and starts a new service.
 */
const ROUNDS = 20;

/**
 * Plays cases of the targets in turn until the time is up.
 *
 * @param say called with lines about the progress
 */
export async function fuzz(options: FuzzOptions, say: (line: string) => void): Promise<Tally> {
  const run = new Run(options, say);
  const end = performance.now() + options.minutes * 60_000;
  while (performance.now() < end) await run.service(end);
  return run;
}

class Run implements Tally {
  readonly cases: Record<string, number> = {};
  readonly collections: Record<string, Collection> = {};
  readonly failures: Failure[] = [];
  peak = 0;
  rest = 0;
  services = 0;
  #batches = 0;
  readonly #known = new Set<string>();

  constructor(
    private readonly options: FuzzOptions,
    private readonly say: (line: string) => void,
  ) {
    for (const target of options.targets) {
      this.cases[target] = 0;
      this.collections[target] = new Collection();
    }
  }

  /** Starts a service, runs up to {@link ROUNDS} batches of each target against it, and stops it. */
  async service(end: number): Promise<void> {
    await using world = await World.open();
    this.services += 1;
    for (let round = 0; round < ROUNDS && world.program.exitCode() === null; round += 1) {
      for (const target of this.options.targets) {
        if (performance.now() > end) break;
        await this.#batch(world, target);
      }
    }
    if (world.program.exitCode() !== null) return;
    for (const complaint of await leftovers(world)) this.#fail('leftovers', complaint, null, this.#seed());
    const { now, peak } = await memoryOf(world.program.pid);
    this.peak = Math.max(this.peak, peak);
    this.rest = Math.max(this.rest, now);
    const counts = this.options.targets.map((target) => `${target} ${this.cases[target]}`).join(', ');
    this.say(`${counts}; ${Math.round(now / 2 ** 20)} MiB, at most ${Math.round(peak / 2 ** 20)}`);
  }

  async #batch(world: World, target: string): Promise<void> {
    const attacked = TARGETS[target];
    if (!attacked) throw new Error(`There is no target ${target}.`);
    const { cases, batch: numRuns = BATCH } = attacked;
    const seed = this.#seed();
    this.#batches += 1;
    let complaint = '';
    const property = fc.asyncProperty(cases, async (given) => {
      const { complaints, signature } = await play(world, given);
      this.cases[target] = (this.cases[target] ?? 0) + 1;
      this.collections[target]?.add(signature, given);
      const [first] = complaints.filter((text) => !this.#known.has(kindOf(target, text)));
      if (first !== undefined) complaint = first;
      return first === undefined;
    });
    const details = await fc.check(property, { seed, numRuns, interruptAfterTimeLimit: 300_000 });
    const [smallest] = details.counterexample ?? [];
    if (details.failed && smallest) this.#fail(target, complaint || String(details.errorInstance), smallest, seed);
    for (const later of await checkUp(world)) this.#fail(target, later, null, seed);
  }

  /** Returns a seed. Each batch has its own seed, so that it can be repeated without the others. */
  #seed(): number {
    return (this.options.seed * 1_000_003 + this.#batches) | 0;
  }

  #fail(target: string, complaint: string, given: Case | null, seed: number): void {
    const kind = kindOf(target, complaint);
    if (this.#known.has(kind)) return;
    this.#known.add(kind);
    this.failures.push({ target, complaint, case: given, seed });
    this.say(`FAILED ${target}, seed ${seed}: ${complaint} ${JSON.stringify(given)?.slice(0, 2000)}`);
  }
}

/** Returns a text that identifies a fault, so that each fault is reported once. */
const kindOf = (target: string, complaint: string): string =>
  `${target} ${complaint.replaceAll(/[\da-f]{8}-[\da-f-]{27}|\d+/g, 'N').slice(0, 120)}`;
