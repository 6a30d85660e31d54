import { describe } from 'bun:test';
import type { OpenStores } from '../stores.ts';
import { describeJobAdding } from './adding.ts';
import { describeJobClaims } from './claims.ts';
import { describeJobFigures } from './figures.ts';
import { describeJobLeases } from './leases.ts';
import { describeJobLimits } from './limits.ts';
import { describeJobModel } from './model.ts';
import { describeJobOperators } from './operators.ts';
import { describeJobRaces } from './races.ts';
import { describeJobTurns } from './turns.ts';

/** The contract of {@link JobQueue}. */
export function describeJobQueue(name: string, open: OpenStores): void {
  describe(`${name}: job queue`, () => {
    describeJobAdding(open);
    describeJobClaims(open);
    describeJobTurns(open);
    describeJobLimits(open);
    describeJobLeases(open);
    describeJobFigures(open);
    describeJobRaces(open);
    describeJobOperators(open);
    describeJobModel(open);
  });
}
