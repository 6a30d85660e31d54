/** What came of a case. */
export interface Verdict {
  /** Sentences; none where all is well. */
  readonly complaints: readonly string[];
  /** What tells this answer from others: cases that give one nobody has seen are worth keeping. */
  readonly signature: string;
}
