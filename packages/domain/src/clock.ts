/** The time of day. */
export interface Clock {
  /**
   * Whole milliseconds since the epoch, UTC. Two calls may return the same time, and a later call an earlier time if
   * the machine's clock is set back: no code may rely on their order.
   */
  now(): number;
}
