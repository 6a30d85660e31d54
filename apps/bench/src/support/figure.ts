import type { Figure } from '../benchmark.ts';
import type { Spread } from '../in-turn.ts';

/** A figure that was measured in rounds. */
export const figure = (what: string, { median, lowest, highest }: Spread, unit: string): Figure => ({
  what,
  value: median,
  unit,
  spread: [lowest, highest],
});
