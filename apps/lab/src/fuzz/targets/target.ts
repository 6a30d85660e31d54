import type fc from 'fast-check';
import type { Case } from '../case.ts';

/** One part of the service's interface, and a generator of cases that attack this part. */
export interface Target {
  readonly about: string;
  readonly cases: fc.Arbitrary<Case>;
  /** Cases between two check-ups of the service. Default: 100. */
  readonly batch?: number;
}
