import type { ActiveMedia, ObjectCheck } from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import { compareObject, itemExists, missingObject, type ObjectProblem } from './object-problem.ts';

/** Milliseconds between the end of a pass and the start of the next. */
export const CHECK_INTERVAL = 7 * 24 * 60 * 60 * 1000;

/** Milliseconds between two saves of the progress. */
const SAVE_INTERVAL = 10_000;

/** Milliseconds after a kill. */
const LEASE_TIME = 60_000;

const BATCH = 100;

type CheckPorts = Pick<Ports, 'media' | 'storage' | 'objectChecks' | 'clock'>;

export interface CheckOptions {
  readonly owner: string;
  /** Leaves resources to requests. */
  readonly pause: () => Promise<void>;
  /** Ends after the current object, and saves the progress. */
  readonly signal: AbortSignal;
  /** An active item's object is missing or has another size. @param count of them in this pass */
  readonly onMissing: (problem: ObjectProblem, count: number) => void;
}

/** `held`: another process runs it. */
export type CheckOutcome = 'finished' | 'not_due' | 'held' | 'stopped';

/**
 * Checks that each active item has its object, with the size in its row; reads no object. Continues where an earlier
 * process stopped, and starts again {@link CHECK_INTERVAL} after the last pass.
 *
 * @throws Refusal `unavailable` when the database or the storage is
 */
export async function checkObjects(ports: CheckPorts, options: CheckOptions): Promise<CheckOutcome> {
  const { objectChecks, clock } = ports;
  if (!isDue(await objectChecks.find(), clock.now())) return 'not_due';
  const lease = () => ({ owner: options.owner, until: clock.now() + LEASE_TIME });
  const claimed = await objectChecks.claim(lease(), clock.now());
  if (claimed === null) return 'held';
  const pass = new CheckPass(ports, options, continuedOrNew(claimed, clock.now()), (check) =>
    objectChecks.save(lease(), check),
  );
  try {
    // Another process may have finished the pass.
    return isDue(claimed, clock.now()) ? await pass.run() : 'not_due';
  } finally {
    await objectChecks.release(options.owner);
  }
}

/** A clock that was set back makes one pass too many. */
function isDue({ startedAt, finishedAt }: ObjectCheck, now: number): boolean {
  if (startedAt !== null || finishedAt === null) return true;
  return now < finishedAt || now - finishedAt >= CHECK_INTERVAL;
}

const continuedOrNew = (check: ObjectCheck, now: number): ObjectCheck =>
  check.startedAt !== null ? check : { ...check, startedAt: now, cursor: null, checked: 0, missing: 0 };

class CheckPass {
  #savedAt: number;

  constructor(
    private readonly ports: CheckPorts,
    private readonly options: CheckOptions,
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
          if (this.options.signal.aborted) return await this.#keep('stopped');
          await this.#checkItem(item);
          if (this.#isTimeToSave() && !(await this.#save())) return 'held';
          await this.options.pause();
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
