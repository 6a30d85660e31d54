export interface Clock {
  /** Milliseconds since the epoch; may jump back. */
  now(): number;
  /** Milliseconds since an arbitrary moment; setting the system time doesn't affect it. */
  elapsed(): number;
}
