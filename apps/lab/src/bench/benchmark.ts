/** One line of a benchmark's table. */
export interface Figure {
  readonly what: string;
  readonly value: number;
  /** `ratio`, `req/s`, `ms`, `MB`, … */
  readonly unit: string;
  /** The lowest and the highest of the rounds; {@link value} is their median. */
  readonly spread?: readonly [lowest: number, highest: number];
  readonly goal?: Goal;
}

interface Goal {
  readonly kind: 'at least' | 'at most';
  readonly value: number;
}

/** Prints a line about the progress to standard error. */
type Progress = (line: string) => void;

/** A measurement that anyone can repeat. */
export interface Benchmark {
  /** What it compares and how, in a sentence or two for the reader of the table. */
  readonly about: string;
  /**
   * Returns no figures if it can't be measured, and prints why.
   *
   * @param beside another checkout to compare with, if the benchmark supports it; null: the bare limit
   */
  run(progress: Progress, beside: string | null): Promise<readonly Figure[]>;
}

/** Whether the figure reaches its goal; null if none is set. */
export function reaches({ value, goal }: Figure): boolean | null {
  if (!goal) return null;
  return goal.kind === 'at least' ? value >= goal.value : value <= goal.value;
}
