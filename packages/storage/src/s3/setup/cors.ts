import { type CORSRule, GetBucketCorsCommand, PutBucketCorsCommand } from '@aws-sdk/client-s3';
import { codeOf } from '../client/failures.ts';
import type { BucketConfiguration } from './bucket-configuration.ts';

const ID = 'postshelf-clients';

/** Seconds for which browsers cache the answer to a preflight. */
const MAX_AGE = 600;

/**
 * Lets pages of the origins use signed addresses to send a file with its `Content-Type` and to read a file or ranges of
 * it. `*` also allows headers that upload libraries add, such as Dropzone's `Cache-Control`. The two headers that pages
 * need are listed by name for stores without this wildcard. A page verifies its upload by `ETag`, and a reader of ranges
 * finds the file's size in `Content-Range`.
 */
export const corsRule = (origins: readonly string[]): CORSRule => ({
  ID,
  AllowedOrigins: [...origins],
  AllowedMethods: ['GET', 'HEAD', 'PUT'],
  AllowedHeaders: ['Content-Type', 'Range', '*'],
  ExposeHeaders: ['ETag', 'Accept-Ranges', 'Content-Range', 'Content-Length', 'Content-Disposition'],
  MaxAgeSeconds: MAX_AGE,
});

export function corsRules(origins: readonly string[]): BucketConfiguration<readonly CORSRule[]> {
  const ours = corsRule(origins);
  return {
    async read({ client, bucket }) {
      try {
        const { CORSRules } = await client.send(new GetBucketCorsCommand({ Bucket: bucket }));
        return CORSRules ?? [];
      } catch (error) {
        if (codeOf(error) === 'NoSuchCORSConfiguration') return null;
        throw error;
      }
    },
    withOurs(current) {
      const rules = current ?? [];
      if (rules.some((rule) => isSameRule(rule, ours))) return null;
      return [...rules.filter((rule) => rule.ID !== ID), ours];
    },
    async write({ client, bucket }, rules) {
      const CORSConfiguration = { CORSRules: [...rules] };
      await client.send(new PutBucketCorsCommand({ Bucket: bucket, CORSConfiguration }));
    },
    harmfulIn: () => [],
  };
}

/** Compares rules without their ids, because not every store keeps those. */
const isSameRule = (rule: CORSRule, other: CORSRule): boolean =>
  isSameSet(rule.AllowedOrigins, other.AllowedOrigins) &&
  isSameSet(rule.AllowedMethods, other.AllowedMethods) &&
  isSameSet(lowerCased(rule.AllowedHeaders), lowerCased(other.AllowedHeaders)) &&
  isSameSet(lowerCased(rule.ExposeHeaders), lowerCased(other.ExposeHeaders));

const lowerCased = (names: readonly string[] = []): string[] => names.map((name) => name.toLowerCase());

/** Whether two lists have the same elements, ignoring order and repeats. */
const isSameSet = (left: readonly string[] = [], right: readonly string[] = []): boolean => {
  const [one, two] = [new Set(left), new Set(right)];
  return one.size === two.size && left.every((value) => two.has(value));
};
