import type { S3Connection } from '../client/connection.ts';

/**
 * One of the configurations that a bucket has beside its objects, as a whole: S3 knows no way to add a rule to it but
 * to write all of them.
 */
export interface BucketConfiguration<Rules> {
  /** What stands there; null when nothing does. */
  read(s3: S3Connection): Promise<Rules | null>;
  /** What has to stand there: everything as it was, and our rule. null when all is well as it is. */
  withOurs(current: Rules | null): Rules | null;
  /** Puts it in the place of what stood there. */
  write(s3: S3Connection, rules: Rules): Promise<void>;
}

/** Whether two lists, in which order and repeats mean nothing, say the same. */
export const isSameSet = (left: readonly string[] = [], right: readonly string[] = []): boolean => {
  const [one, two] = [new Set(left), new Set(right)];
  return one.size === two.size && left.every((value) => two.has(value));
};
