/** A write that was asked for and not answered yet. Left as it is, nobody knows whether it was done. */
export interface Pending {
  /** The answer says that it was done. */
  acknowledge(): void;
  /** The answer says that it was not. */
  refuse(): void;
}

interface Write<T> {
  readonly value: T;
  readonly begun: number;
  /** When its answer came; it may be done until then, so for ever where none came. */
  ended: number;
  isAcknowledged: boolean;
}

/** Orders what happens within this process. */
let moments = 0;
const moment = (): number => {
  moments += 1;
  return moments;
};

/**
 * What is known of one value that others keep: which ones it may have now, after all the writes that were asked for.
 * A write that was acknowledged rules out what was over before it began; writes that ran side by side, and those without
 * an answer, leave each outcome open.
 */
export class Register<T> {
  #writes: readonly Write<T>[];

  constructor(initial: T) {
    this.#writes = [acknowledged(initial)];
  }

  /** Notes a write; call it before the request is sent. */
  begin(value: T): Pending {
    const write: Write<T> = { value, begun: moment(), ended: Number.POSITIVE_INFINITY, isAcknowledged: false };
    this.#writes = [...this.#writes, write];
    return {
      acknowledge: () => {
        write.ended = moment();
        write.isAcknowledged = true;
        this.#writes = this.#writes.filter((other) => other.ended >= write.begun);
      },
      refuse: () => {
        this.#writes = this.#writes.filter((other) => other !== write);
      },
    };
  }

  /** Every value that it may have. */
  get possible(): readonly T[] {
    return [...new Set(this.#writes.map(({ value }) => value))];
  }

  allows(value: T): boolean {
    return this.#writes.some((write) => write.value === value);
  }

  /** Whether it can't have another value. */
  is(value: T): boolean {
    return this.#writes.every((write) => write.value === value);
  }

  /** Notes what was seen while nobody wrote: what was open is decided. */
  settle(value: T): void {
    this.#writes = [acknowledged(value)];
  }
}

function acknowledged<T>(value: T): Write<T> {
  const now = moment();
  return { value, begun: now, ended: now, isAcknowledged: true };
}
