/** Thrown if a promise of docs/reliability.md is broken: the run ends, and its folder is kept. */
export class Violation extends Error {
  override readonly name = 'Violation';

  /** @param facts the values that were found and those that were expected */
  constructor(
    what: string,
    readonly facts: Readonly<Record<string, unknown>> = {},
  ) {
    super(what);
  }
}

/**
 * Checks a condition.
 *
 * @throws Violation unless the condition holds
 */
export function hold(condition: boolean, what: string, facts?: Readonly<Record<string, unknown>>): asserts condition {
  if (!condition) throw new Violation(what, facts);
}
