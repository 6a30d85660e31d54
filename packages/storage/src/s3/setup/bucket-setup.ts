import { connect, type S3Connection, type S3Options } from '../client/connection.ts';
import { codeOf } from '../client/failures.ts';
import { ATTEMPTS, backOff } from '../client/timeouts.ts';
import { unusable } from '../client/unusable-bucket.ts';
import { corsRule, corsRules } from './cors.ts';
import { ABANDONED_DAYS, abandonedUploadsRule, lifecycleRules } from './lifecycle.ts';
import { type Obstacle, obstacleOf } from './obstacles.ts';
import type { BucketConfiguration } from './rules.ts';
import { writeSafely } from './safe-rewrite.ts';

/** What became of a rule of the bucket. */
export type RuleOutcome =
  | {
      /**
       * `unchanged`: there is one already, ours or another. `applied`: it was written. `planned`: it would be, without the
       * dry run. `not_wanted`: no setting requires it.
       */
      readonly outcome: 'unchanged' | 'applied' | 'planned' | 'not_wanted';
    }
  | Obstacle;

/** A rule that a bucket for media needs beside its objects. */
export interface BucketRule {
  readonly name: 'cors' | 'lifecycle';
  /** What it is for, as the rest of a sentence. */
  readonly purpose: string;
  /** The rule in S3's JSON, to be applied by hand; null where it isn't wanted. */
  readonly rule: unknown;
  readonly result: RuleOutcome;
}

/** The rules of a bucket. Needs none of the rights to its objects. */
export interface BucketSetup {
  /** The bucket and where it is; no secret in it. */
  readonly place: string;
  /**
   * Applies missing rules and leaves all other rules of the bucket unchanged. A repeat writes nothing.
   *
   * @param origins whose pages may send files to the bucket and read them; `*` for all
   * @throws UnusableBucket, one line, when the bucket isn't there, doesn't let us in or can't be reached
   */
  apply(wishes: { readonly origins: readonly string[]; readonly dryRun: boolean }): Promise<readonly BucketRule[]>;
  /** Ends the idle connections. */
  close(): void;
}

/** Asks nothing of the store yet. */
export function openBucketSetup(options: S3Options): BucketSetup {
  const s3 = connect(options);
  writeSafely(s3.client);
  return {
    place: s3.place,
    async apply({ origins, dryRun }) {
      try {
        return [await applyCors(s3, origins, dryRun), await applyLifecycle(s3, dryRun)];
      } catch (error) {
        throw codeOf(error) === null ? error : unusable(error, s3.place);
      }
    },
    close: () => s3.close(),
  };
}

async function applyCors(s3: S3Connection, origins: readonly string[], dryRun: boolean): Promise<BucketRule> {
  const name = 'cors';
  if (origins.length === 0) {
    return { name, purpose: 'what stands there stays', rule: null, result: { outcome: 'not_wanted' } };
  }
  const pages = origins.includes('*') ? 'all pages' : `pages of ${origins.join(', ')}`;
  const result = await applyRules(s3, corsRules(origins), dryRun);
  return { name, purpose: `${pages} may send files to the bucket and read them`, rule: corsRule(origins), result };
}

async function applyLifecycle(s3: S3Connection, dryRun: boolean): Promise<BucketRule> {
  const purpose = `uploads in parts that were never completed are dropped after ${ABANDONED_DAYS} days`;
  const result = await applyRules(s3, lifecycleRules(), dryRun);
  return { name: 'lifecycle', purpose, rule: abandonedUploadsRule, result };
}

/** MinIO, of a lifecycle rule that stands beside others. */
const FORGOTTEN: Obstacle = { outcome: 'unsupported', reason: 'the store took it and shows nothing of it' };

/** Some stores accept a rule that they don't know and drop it; others show a new rule only after a while. */
async function isStored<Rules>(s3: S3Connection, book: BucketConfiguration<Rules>): Promise<boolean> {
  for (let look = 1; look <= ATTEMPTS; look += 1) {
    if (book.withOurs(await book.read(s3)) === null) return true;
    await backOff(look);
  }
  return false;
}

/** @throws the SDK's error where it is no {@link Obstacle} */
async function applyRules<Rules>(
  s3: S3Connection,
  book: BucketConfiguration<Rules>,
  dryRun: boolean,
): Promise<RuleOutcome> {
  try {
    const wanted = book.withOurs(await book.read(s3));
    if (wanted === null) return { outcome: 'unchanged' };
    if (dryRun) return { outcome: 'planned' };
    await book.write(s3, wanted);
    return (await isStored(s3, book)) ? { outcome: 'applied' } : FORGOTTEN;
  } catch (error) {
    const obstacle = obstacleOf(error);
    if (obstacle) return obstacle;
    throw error;
  }
}
