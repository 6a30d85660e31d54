/** One line of a benchmark's table. */
export interface Figure {
  readonly what: string;
  readonly value: number;
  /** `ratio`, `req/s`, `ms`, `MB`, … */
  readonly unit: string;
  /** The lowest and the highest result of the rounds; {@link value} is the median. */
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
  /** Describes, in a sentence or two for readers of the table, what the benchmark compares and how. */
  readonly about: string;
  /**
   * Runs the benchmark. If it can't run on this machine, prints the reason and returns no figures.
   *
   * @param beside the folder of another checkout to compare with, if the benchmark supports that; null to compare with
   *   the benchmark's bare server
   */
  run(progress: Progress, beside: string | null): Promise<readonly Figure[]>;
}

/** Whether the figure reaches its goal; null if no goal is set. */
export function reaches({ value, goal }: Figure): boolean | null {
  if (!goal) return null;
  return goal.kind === 'at least' ? value >= goal.value : value <= goal.value;
}
