export interface Clock {
  /** Whole milliseconds since the epoch. A later call may return an earlier time, as clocks are set back. */
  now(): number;
}
