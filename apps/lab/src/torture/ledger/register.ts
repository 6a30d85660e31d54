/** A write that isn't answered yet. Without an answer its outcome stays unknown. */
export interface Pending {
  /** Records that the answer confirmed the write. */
  acknowledge(): void;
  /** Records that the answer refused the write. */
  refuse(): void;
}

interface Write<T> {
  readonly value: T;
  readonly startedAt: number;
  /**
   * The time when the answer arrived. It is Infinity while there is no answer, because until then the write may take
   * effect.
   */
  endedAt: number;
  isAcknowledged: boolean;
}

/** A logical clock: the number of starts and ends of writes so far. */
let moments = 0;
const moment = (): number => {
  moments += 1;
  return moments;
};

/**
 * The values that a field may have, given the requested writes. An acknowledged write rules out the values of all
 * writes that had ended before it began. After writes that overlap or weren't answered, several values are possible.
 */
export class Register<T> {
  #writes: readonly Write<T>[];

  constructor(initial: T) {
    this.#writes = [acknowledged(initial)];
  }

  /** Records a write; call it before the request is sent. */
  begin(value: T): Pending {
    const write: Write<T> = { value, startedAt: moment(), endedAt: Number.POSITIVE_INFINITY, isAcknowledged: false };
    this.#writes = [...this.#writes, write];
    return {
      acknowledge: () => {
        write.endedAt = moment();
        write.isAcknowledged = true;
        this.#writes = this.#writes.filter((other) => other.endedAt >= write.startedAt);
      },
      refuse: () => {
        this.#writes = this.#writes.filter((other) => other !== write);
      },
    };
  }

  /** Every value that the field may have. */
  get possible(): readonly T[] {
    return [...new Set(this.#writes.map(({ value }) => value))];
  }

  allows(value: T): boolean {
    return this.#writes.some((write) => write.value === value);
  }

  /** Whether the field must have this value. */
  is(value: T): boolean {
    return this.#writes.every((write) => write.value === value);
  }

  /** Records the field's value as a check has read it while no client was writing. */
  settle(value: T): void {
    this.#writes = [acknowledged(value)];
  }
}

function acknowledged<T>(value: T): Write<T> {
  const now = moment();
  return { value, startedAt: now, endedAt: now, isAcknowledged: true };
}
