import type { S3Connection } from '../client/connection.ts';

/** Reads and writes rules of one kind. S3 has no request to add a single rule, so all are written together. */
export interface BucketConfiguration<Rules> {
  read(s3: S3Connection): Promise<Rules | null>;
  /** Returns the current rules plus ours, or null when nothing has to be written. */
  withOurs(current: Rules | null): Rules | null;
  write(s3: S3Connection, rules: Rules): Promise<void>;
  /** Returns phrases about rules that destroy media or make them unreadable. */
  harmfulIn(current: Rules | null): readonly string[];
}
