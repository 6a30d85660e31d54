/** A promise of docs/reliability.md that was not kept: the run ends, and what it left is kept. */
export class Violation extends Error {
  override readonly name = 'Violation';

  /** @param facts what was seen, and what should have been, for whoever looks into it */
  constructor(
    what: string,
    readonly facts: Readonly<Record<string, unknown>> = {},
  ) {
    super(what);
  }
}

/** @throws Violation unless it holds */
export function hold(condition: boolean, what: string, facts?: Readonly<Record<string, unknown>>): asserts condition {
  if (!condition) throw new Violation(what, facts);
}
