import type { ActiveMedia, ObjectCheck } from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import { compareObject, itemExists, missingObject, type ObjectProblem } from './object-problem.ts';

/** Milliseconds between the end of a pass and the beginning of the next one. */
export const CHECK_INTERVAL = 7 * 24 * 60 * 60 * 1000;

/** Milliseconds between two times that the progress is kept. */
const SAVE_INTERVAL = 10_000;

/** Milliseconds for which a killed process keeps others from going on. */
const LEASE_TIME = 60_000;

const BATCH = 100;

type Needs = Pick<Ports, 'media' | 'storage' | 'objectChecks' | 'clock'>;

export interface CheckOptions {
  /** As of `leaseOwner`. */
  readonly owner: string;
  /** Waits between two objects, so that nobody else has to. */
  readonly pause: () => Promise<void>;
  /** The look ends behind the object that it is at; where it was is kept. */
  readonly signal: AbortSignal;
  /** Hears of an active item whose object isn't there, or has another size. @param count of them in this pass */
  readonly onMissing: (problem: ObjectProblem, count: number) => void;
}

/** `not_due`: the last pass is young. `held`: another process is at it. */
export type CheckOutcome = 'finished' | 'not_due' | 'held' | 'stopped';

/**
 * Looks, one object after the other, whether each active item has its object, with the size that its row names; nothing
 * is read. Goes on where a process before left off, and begins a new pass {@link CHECK_INTERVAL} behind the last one.
 *
 * @throws Refusal `unavailable` when the database or the storage is; where it was is kept as far as that goes
 */
export async function checkObjects(ports: Needs, options: CheckOptions): Promise<CheckOutcome> {
  const { objectChecks, clock } = ports;
  if (!isDue(await objectChecks.find(), clock.now())) return 'not_due';
  const lease = () => ({ owner: options.owner, until: clock.now() + LEASE_TIME });
  const claimed = await objectChecks.claim(lease(), clock.now());
  if (claimed === null) return 'held';
  const look = new CheckPass(ports, options, begun(claimed, clock.now()), (check) => objectChecks.save(lease(), check));
  try {
    // Somebody else may have come to the end since it was read.
    return isDue(claimed, clock.now()) ? await look.run() : 'not_due';
  } finally {
    await objectChecks.release(options.owner);
  }
}

/** A clock that was set back makes it due: better once too often. */
function isDue({ startedAt, finishedAt }: ObjectCheck, now: number): boolean {
  if (startedAt !== null || finishedAt === null) return true;
  return now < finishedAt || now - finishedAt >= CHECK_INTERVAL;
}

const begun = (check: ObjectCheck, now: number): ObjectCheck =>
  check.startedAt !== null ? check : { ...check, startedAt: now, cursor: null, checked: 0, missing: 0 };

/** A process' part of a pass. */
class CheckPass {
  #savedAt: number;

  constructor(
    private readonly ports: Needs,
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
          await this.#lookAt(item);
          if (this.#isTimeToSave() && !(await this.#save())) return 'held';
          await this.options.pause();
        }
        if (items.length < BATCH) return await this.#finish();
      }
    } catch (error) {
      // Whatever is out of reach, less is to be done again where the database isn't.
      await Promise.allSettled([this.#save()]);
      throw error;
    }
  }

  async #lookAt(item: ActiveMedia): Promise<void> {
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
