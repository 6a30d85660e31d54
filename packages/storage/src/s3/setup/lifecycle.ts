import {
  GetBucketLifecycleConfigurationCommand,
  type LifecycleRule,
  PutBucketLifecycleConfigurationCommand,
  type TransitionDefaultMinimumObjectSize,
} from '@aws-sdk/client-s3';
import { codeOf } from '../client/failures.ts';
import type { BucketConfiguration } from './bucket-configuration.ts';

const ID = 'postshelf-abandoned-uploads';

/** Days after which a multipart upload counts as abandoned; ours take less than an hour. */
export const ABANDONED_DAYS = 7;

export interface LifecycleRules {
  readonly rules: readonly LifecycleRule[];
  /** The store's current setting. AWS resets it to the default if a request omits it. */
  readonly minimumSize: TransitionDefaultMinimumObjectSize | undefined;
}

/** Aborts abandoned multipart uploads in the whole bucket; `discardAbandoned` covers only the staging folder and the trash. */
export const abandonedUploadsRule: LifecycleRule = {
  ID,
  Status: 'Enabled',
  Filter: { Prefix: '' },
  AbortIncompleteMultipartUpload: { DaysAfterInitiation: ABANDONED_DAYS },
};

export function lifecycleRules(): BucketConfiguration<LifecycleRules> {
  return {
    async read({ client, bucket }) {
      const request = new GetBucketLifecycleConfigurationCommand({ Bucket: bucket });
      try {
        const { Rules = [], TransitionDefaultMinimumObjectSize } = await client.send(request);
        return { rules: Rules, minimumSize: TransitionDefaultMinimumObjectSize };
      } catch (error) {
        if (codeOf(error) === 'NoSuchLifecycleConfiguration') return null;
        throw error;
      }
    },
    withOurs(current) {
      const { rules, minimumSize } = current ?? { rules: [], minimumSize: undefined };
      if (rules.some(dropsAllAbandoned)) return null;
      const others = rules.filter((rule) => rule.ID !== ID);
      return { rules: [...others, ruleBeside(others)], minimumSize };
    },
    async write({ client, bucket }, { rules, minimumSize }) {
      const request = {
        Bucket: bucket,
        LifecycleConfiguration: { Rules: [...rules] },
        ...(minimumSize === undefined ? {} : { TransitionDefaultMinimumObjectSize: minimumSize }),
      };
      await client.send(new PutBucketLifecycleConfigurationCommand(request));
    },
    harmfulIn: (current) => harmfulRules(current?.rules ?? []),
  };
}

/**
 * Whether a rule aborts all abandoned uploads, after any number of days. An operator's own rule may have a different
 * number than ours.
 */
function dropsAllAbandoned({ Status, Prefix, Filter, AbortIncompleteMultipartUpload }: LifecycleRule): boolean {
  const { Prefix: filterPrefix, ...narrower } = Filter ?? {};
  const isForAll = !Prefix && !filterPrefix && Object.values(narrower).every((value) => value === undefined);
  return Status === 'Enabled' && isForAll && AbortIncompleteMultipartUpload?.DaysAfterInitiation !== undefined;
}

/** Storage classes from which objects can be read only after hours, once they have been restored. */
const ARCHIVES: readonly (string | undefined)[] = ['GLACIER', 'DEEP_ARCHIVE'];

/** Matches prefixes of keys of media, which begin with the workspace's id. */
const MEDIA_PREFIX = /^(?:[\da-f-]{0,36}|[\da-f-]{36}\/.*)$/;

/** Returns what a rule does to media, such as "deletes media by their age"; null if it leaves them as they are. */
function harmOf({ Status, Prefix, Filter, Expiration, Transitions = [] }: LifecycleRule): string | null {
  const prefix = Prefix ?? Filter?.Prefix ?? Filter?.And?.Prefix ?? '';
  // Our objects have no tags, so a rule for objects with a tag doesn't apply to them.
  const hasTag = Filter?.Tag !== undefined || (Filter?.And?.Tags ?? []).length > 0;
  if (Status !== 'Enabled' || hasTag || !MEDIA_PREFIX.test(prefix)) return null;
  if (Expiration?.Days !== undefined || Expiration?.Date !== undefined) return 'deletes media by their age';
  if (Transitions.some(({ StorageClass }) => ARCHIVES.includes(StorageClass)))
    return 'archives media, which then cannot be read';
  return null;
}

/** Returns a phrase for each rule that destroys media or makes them unreadable. */
export const harmfulRules = (rules: readonly LifecycleRule[]): readonly string[] =>
  rules.flatMap((rule) => {
    const harm = harmOf(rule);
    return harm === null ? [] : [`the rule ${rule.ID ?? 'without an id'} ${harm}`];
  });

/**
 * Returns our rule in the style of the other rules, because AWS refuses to mix rules that have a `Filter` with older
 * ones that have only a `Prefix`.
 */
function ruleBeside(others: readonly LifecycleRule[]): LifecycleRule {
  const isOlder = others.some(({ Prefix, Filter }) => Prefix !== undefined && Filter === undefined);
  if (!isOlder) return abandonedUploadsRule;
  const { Filter: _, ...rule } = abandonedUploadsRule;
  return { ...rule, Prefix: '' };
}
