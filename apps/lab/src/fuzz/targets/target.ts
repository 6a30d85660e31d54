import type fc from 'fast-check';
import type { Case } from '../case.ts';

/** A part of the interface, with the cases that attack it. */
export interface Target {
  readonly about: string;
  readonly cases: fc.Arbitrary<Case>;
  /** Cases between two check-ups of the service. Default: 100. */
  readonly batch?: number;
}
