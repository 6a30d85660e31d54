import type fc from 'fast-check';
import type { Case } from '../case.ts';

/** Something that is attacked, and how. */
export interface Target {
  readonly about: string;
  readonly cases: fc.Arbitrary<Case>;
}
