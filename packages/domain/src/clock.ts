export interface Clock {
  /** Milliseconds since the epoch; may go back. */
  now(): number;
  /** Milliseconds since some moment; whoever sets the time doesn't change it. */
  elapsed(): number;
}
