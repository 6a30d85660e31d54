import type { S3Connection } from '../client/connection.ts';

/** S3 has no request to add a single rule, so all are written at once. */
export interface BucketConfiguration<Rules> {
  read(s3: S3Connection): Promise<Rules | null>;
  /** null when nothing has to be written. */
  withOurs(current: Rules | null): Rules | null;
  write(s3: S3Connection, rules: Rules): Promise<void>;
}

/** Ignoring order and repeats. */
export const isSameSet = (left: readonly string[] = [], right: readonly string[] = []): boolean => {
  const [one, two] = [new Set(left), new Set(right)];
  return one.size === two.size && left.every((value) => two.has(value));
};
