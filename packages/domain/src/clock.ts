export interface Clock {
  /** Milliseconds since the epoch; may go back. */
  now(): number;
}
