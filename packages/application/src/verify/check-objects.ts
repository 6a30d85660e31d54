import { type ActiveMedia, CHECK_INTERVAL, type ObjectCheck } from '@postshelf/domain';
import { type JobHandler, oneByOne } from '../jobs/job-handler.ts';
import type { Ports } from '../ports.ts';
import { compareObject, itemExists, missingObject, type ObjectProblem } from './object-problem.ts';

/** Milliseconds between two saves of the progress. */
const SAVE_INTERVAL = 10_000;

const BATCH = 100;

type CheckPorts = Pick<Ports, 'media' | 'storage' | 'objectChecks' | 'clock'>;

export interface CheckOptions {
  /**
   * Waits after each object, so that requests get their share of resources. Resolves immediately if the signal is
   * aborted.
   */
  readonly pause: (signal: AbortSignal) => Promise<void>;
  /**
   * Called if an active item's object is missing or has another size.
   *
   * @param count the number of such items in this pass so far
   */
  readonly onMissing: (problem: ObjectProblem, count: number) => void;
}

/**
 * Checks that each active item has its object and that the object's size matches the row; doesn't read any object.
 * Continues where an earlier process stopped, and starts again {@link CHECK_INTERVAL} after the last pass. Outcomes:
 * `finished`, `missing` (finished, but some objects are missing), `stopped`, `held` (another process does the check).
 */
export const checkHandler = (ports: CheckPorts, options: CheckOptions): JobHandler<'check'> => ({
  kind: 'check',
  run: oneByOne(async ({ subjectId }, { owner, signal }) => {
    const { objectChecks, clock } = ports;
    const check = continuedOrNew(await objectChecks.find(), clock.now());
    const save = (progress: ObjectCheck): Promise<boolean> => objectChecks.save(subjectId, owner, progress);
    const outcome = await new CheckPass(ports, options, signal, check, save).run();
    if (outcome !== 'finished') return { next: 'again', outcome, after: 0 };
    const { lastChecked: checked, lastMissing: missing } = await objectChecks.find();
    return {
      next: 'again',
      outcome: missing > 0 ? 'missing' : 'finished',
      after: CHECK_INTERVAL,
      details: { checked, missing },
    };
  }),
});

/** Adds the library's check job, due when the next pass is due, unless the job exists. */
export async function scheduleCheck({
  library,
  objectChecks,
  clock,
}: Pick<Ports, 'library' | 'objectChecks' | 'clock'>): Promise<void> {
  const found = await library.find();
  if (found) await objectChecks.schedule(found.id, dueAt(await objectChecks.find(), clock.now()));
}

/**
 * Returns when the next pass is due. If the clock was set back to before the end of the last pass, the next pass is due
 * now, which may be too early.
 */
function dueAt({ startedAt, finishedAt }: ObjectCheck, now: number): number {
  if (startedAt !== null || finishedAt === null || now < finishedAt) return now;
  return finishedAt + CHECK_INTERVAL;
}

const continuedOrNew = (check: ObjectCheck, now: number): ObjectCheck =>
  check.startedAt !== null ? check : { ...check, startedAt: now, cursor: null, checked: 0, missing: 0 };

type CheckOutcome = 'finished' | 'held' | 'stopped';

class CheckPass {
  #savedAt: number;

  constructor(
    private readonly ports: CheckPorts,
    private readonly options: CheckOptions,
    private readonly signal: AbortSignal,
    private check: ObjectCheck,
    private readonly save: (check: ObjectCheck) => Promise<boolean>,
  ) {
    this.#savedAt = ports.clock.now();
  }

  async run(): Promise<CheckOutcome> {
    try {
      for (;;) {
        const items = await this.ports.media.listActive(this.check.cursor, BATCH);
        for (const item of items) {
          if (this.signal.aborted) return await this.#keep('stopped');
          await this.#checkItem(item);
          if (this.#isTimeToSave() && !(await this.#save())) return 'held';
          await this.options.pause(this.signal);
        }
        if (items.length < BATCH) return await this.#finish();
      }
    } catch (error) {
      await Promise.allSettled([this.#save()]);
      throw error;
    }
  }

  async #checkItem(item: ActiveMedia): Promise<void> {
    const object = await this.ports.storage.open(item.fullName);
    const found = object === null ? missingObject(item) : compareObject(item, { size: object.size });
    const isMissing = found !== null && (await itemExists(this.ports, item));
    const count = this.check.missing + (isMissing ? 1 : 0);
    this.check = { ...this.check, cursor: item.id, checked: this.check.checked + 1, missing: count };
    if (isMissing) this.options.onMissing(found, count);
  }

  #isTimeToSave(): boolean {
    return Math.abs(this.ports.clock.now() - this.#savedAt) >= SAVE_INTERVAL;
  }

  #save(): Promise<boolean> {
    this.#savedAt = this.ports.clock.now();
    return this.save(this.check);
  }

  async #keep(outcome: CheckOutcome): Promise<CheckOutcome> {
    return (await this.#save()) ? outcome : 'held';
  }

  #finish(): Promise<CheckOutcome> {
    const { checked, missing: found } = this.check;
    this.check = {
      cursor: null,
      startedAt: null,
      checked: 0,
      missing: 0,
      finishedAt: this.ports.clock.now(),
      lastChecked: checked,
      lastMissing: found,
    };
    return this.#keep('finished');
  }
}
