import type { S3Access } from '@postshelf/testing/servers/s3';
import { jsonCommand, type Settings } from './processes.ts';
import type { Program } from './program.ts';

export const bucketSettings = (s3: S3Access, bucket: string): Settings => ({
  S3_BUCKET: bucket,
  S3_ENDPOINT: s3.endpoint,
  S3_REGION: s3.region,
  S3_ACCESS_KEY_ID: s3.credentials.accessKeyId,
  S3_SECRET_ACCESS_KEY: s3.credentials.secretAccessKey,
  S3_FORCE_PATH_STYLE: String(s3.forcePathStyle),
});

export interface Entry {
  readonly workspace: string;
  readonly token: string;
}

/**
 * Creates a workspace.
 *
 * @param args more arguments of `workspace create`
 */
export async function makeWorkspace(
  settings: Settings,
  { name, args = [], by }: { readonly name: string; readonly args?: readonly string[]; readonly by?: Program },
): Promise<Entry> {
  const { id } = await jsonCommand(['workspace', 'create', '--name', name, ...args], settings, by);
  const { token } = await jsonCommand(['token', 'create', '--workspace', String(id)], settings, by);
  return { workspace: String(id), token: String(token) };
}
