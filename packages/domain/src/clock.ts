/** The time of day. */
export interface Clock {
  /**
   * Milliseconds since the epoch, UTC, whole. It may stand still between two calls and, where an operator sets the
   * machine's clock, go back: nothing may rely on its order.
   */
  now(): number;
}
