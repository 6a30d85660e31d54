import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { connect, type S3Connection, type S3Options } from '../client/connection.ts';
import { codeOf, httpStatusOf } from '../client/failures.ts';
import { ATTEMPTS, waitAfter } from '../client/timeouts.ts';
import { unusable } from '../client/unusable-bucket.ts';
import type { BucketConfiguration } from './bucket-configuration.ts';
import { corsRule, corsRules } from './cors.ts';
import { ABANDONED_DAYS, abandonedUploadsRule, lifecycleRules } from './lifecycle.ts';
import { UnknownRules, writeSafely } from './safe-rewrite.ts';

/** The reason why a rule has to be applied by hand, or can't be applied at all, although the bucket is usable. */
interface Obstacle {
  /**
   * `not_allowed`: the access key isn't allowed to read or change these rules. `not_safe`: writing would damage
   * existing rules.
   */
  readonly outcome: 'unsupported' | 'not_allowed' | 'not_safe';
  readonly reason: string;
}

export type RuleOutcome =
  | {
      /**
       * `unchanged`: the bucket has an equivalent rule. `planned`: the rule would have been written if this weren't a
       * dry run. `not_wanted`: no setting requires the rule.
       */
      readonly outcome: 'unchanged' | 'applied' | 'planned' | 'not_wanted';
    }
  | Obstacle;

export interface BucketRule {
  readonly name: 'cors' | 'lifecycle';
  /** The rule's purpose, as part of a sentence. */
  readonly purpose: string;
  /** The rule in S3's JSON; null if it isn't wanted. */
  readonly rule: unknown;
  readonly result: RuleOutcome;
  /** Phrases about other rules of this kind that destroy media or make them unreadable. */
  readonly harmful: readonly string[];
}

export interface BucketSetup {
  /** The bucket's name for messages, without secrets. */
  readonly place: string;
  /**
   * Applies missing rules, and leaves the bucket's other rules unchanged.
   *
   * @param origins the web origins whose pages may send files to the bucket and read them; `*` for all
   * @param create whether to create the bucket first if it doesn't exist
   * @throws UnusableBucket, with one line, when the bucket doesn't exist, refuses access or can't be reached
   */
  apply(wishes: {
    readonly origins: readonly string[];
    readonly create?: boolean;
    readonly dryRun: boolean;
  }): Promise<readonly BucketRule[]>;
  close(): void;
}

export function openBucketSetup(options: S3Options): BucketSetup {
  const s3 = connect(options);
  writeSafely(s3.client, s3.timeouts.response);
  return {
    place: s3.place,
    async apply({ origins, create = false, dryRun }) {
      try {
        if (create && !dryRun) await createBucket(s3);
        return [await applyCors(s3, origins, dryRun), await applyLifecycle(s3, dryRun)];
      } catch (error) {
        throw codeOf(error) === null ? error : unusable(error, s3.place);
      }
    },
    close: () => s3.close(),
  };
}

async function createBucket({ client, bucket }: S3Connection): Promise<void> {
  try {
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
  } catch (error) {
    if (codeOf(error) !== 'BucketAlreadyOwnedByYou') throw error;
  }
}

async function applyCors(s3: S3Connection, origins: readonly string[], dryRun: boolean): Promise<BucketRule> {
  const name = 'cors';
  if (origins.length === 0) {
    return { name, purpose: 'existing rules are kept', rule: null, result: { outcome: 'not_wanted' }, harmful: [] };
  }
  const pages = origins.includes('*') ? 'all pages' : `pages of ${origins.join(', ')}`;
  const purpose = `${pages} may send files to the bucket and read them`;
  return { name, purpose, rule: corsRule(origins), ...(await applyRules(s3, corsRules(origins), dryRun)) };
}

async function applyLifecycle(s3: S3Connection, dryRun: boolean): Promise<BucketRule> {
  const purpose = `multipart uploads that were never completed are aborted after ${ABANDONED_DAYS} days`;
  return {
    name: 'lifecycle',
    purpose,
    rule: abandonedUploadsRule,
    ...(await applyRules(s3, lifecycleRules(), dryRun)),
  };
}

/**
 * The obstacle if a store accepts a rule but drops it, as MinIO does with a lifecycle rule if there are other rules.
 */
const NOT_RETURNED: Obstacle = { outcome: 'unsupported', reason: 'the store accepted it but does not return it' };

/**
 * Whether the store returns the rule. Some stores accept an unsupported rule but drop it; others return a new rule only
 * after a while.
 */
async function isStored<Rules>(s3: S3Connection, configuration: BucketConfiguration<Rules>): Promise<boolean> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    if (configuration.withOurs(await configuration.read(s3)) === null) return true;
    await waitAfter(attempt);
  }
  return false;
}

async function applyRules<Rules>(
  s3: S3Connection,
  configuration: BucketConfiguration<Rules>,
  dryRun: boolean,
): Promise<Pick<BucketRule, 'result' | 'harmful'>> {
  let harmful: readonly string[] = [];
  try {
    const current = await configuration.read(s3);
    harmful = configuration.harmfulIn(current);
    const wanted = configuration.withOurs(current);
    if (wanted === null) return { result: { outcome: 'unchanged' }, harmful };
    if (dryRun) return { result: { outcome: 'planned' }, harmful };
    await configuration.write(s3, wanted);
    return { result: (await isStored(s3, configuration)) ? { outcome: 'applied' } : NOT_RETURNED, harmful };
  } catch (error) {
    const obstacle = obstacleOf(error);
    if (obstacle) return { result: obstacle, harmful };
    throw error;
  }
}

/** Codes with which stores answer a rule they don't know. MinIO reports malformed XML. */
const UNKNOWN_RULE = new Set(['NotImplemented', 'XNotImplemented', 'UnsupportedOperation', 'MalformedXML']);

/** Statuses with which stores answer a request they don't know (RFC 9110 sections 15.5.6 and 15.6.2). */
const UNKNOWN_REQUEST = new Set([405, 501]);

/** Returns the obstacle that an error indicates; null if it indicates none. */
function obstacleOf(error: unknown): Obstacle | null {
  if (error instanceof UnknownRules) {
    const reason = `the bucket has rules with ${error.elements.join(', ')}, which rewriting them would drop`;
    return { outcome: 'not_safe', reason };
  }
  const [code, status] = [codeOf(error), httpStatusOf(error)];
  if (code === null) return null;
  const answer = `${code}, HTTP ${status}`;
  if (UNKNOWN_RULE.has(code) || UNKNOWN_REQUEST.has(status)) {
    return { outcome: 'unsupported', reason: `the store doesn't know such rules (${answer})` };
  }
  if (code === 'AccessDenied') {
    return { outcome: 'not_allowed', reason: `the access key is not allowed to read or change such rules (${answer})` };
  }
  return null;
}
