import type fc from 'fast-check';
import type { Case } from '../case.ts';

/** Something that is attacked, and how. */
export interface Target {
  readonly about: string;
  readonly cases: fc.Arbitrary<Case>;
  /** Cases between two looks at the service; a hundred where it isn't said. */
  readonly batch?: number;
}
