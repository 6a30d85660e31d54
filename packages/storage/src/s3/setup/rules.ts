import type { S3Connection } from '../client/connection.ts';

/**
 * One of the configurations that a bucket has beside its objects, as a whole: S3 knows no way to add a rule to it but
 * to write all of them.
 */
export interface BucketConfiguration<Rules> {
  /** The present rules; null when there are none. */
  read(s3: S3Connection): Promise<Rules | null>;
  /** The rules to write: all present ones, and ours. null when nothing has to be written. */
  withOurs(current: Rules | null): Rules | null;
  /** Replaces the present rules. */
  write(s3: S3Connection, rules: Rules): Promise<void>;
}

/** Whether two lists, in which order and repeats mean nothing, say the same. */
export const isSameSet = (left: readonly string[] = [], right: readonly string[] = []): boolean => {
  const [one, two] = [new Set(left), new Set(right)];
  return one.size === two.size && left.every((value) => two.has(value));
};
