import { bucketSettings, forEachConcurrently } from '@postshelf/harness';
import { makeDatabase, realPostgres, runSql, withClient } from '@postshelf/testing/servers/postgres';
import { bucketContents, clientOf, makeBucket, type RealS3, realS3 } from '@postshelf/testing/servers/s3';
import { S3Client } from 'bun';
import { sha256 } from '../support/contents.ts';
import type { Deployment, Row, Stored } from './deployment.ts';

const PREVIEW = /^\.previews\/[0-9a-f-]{36}\/([0-9a-f-]{36})\/\d+\.webp$/;
const PIECE = /^\.uploads\/([0-9a-f-]{36})\/[0-9a-f-]{36}$/;
const TRASHED = /^\.trash\/\d+\/(.+)$/;

const TABLES_OF_WORKSPACES = `select table_name as name from information_schema.columns
  where table_schema = current_schema() and column_name = 'workspace_id'`;

/** Deploys two processes with PostgreSQL and a bucket: one of them serves requests, the other runs imports. */
export async function deployBucket(folder: string): Promise<Deployment | null> {
  const skipped = 'kill -9 over PostgreSQL and S3';
  const [postgres, s3] = [await realPostgres(skipped), await realS3(skipped)];
  if (!postgres || !s3) return null;
  const database = await makeDatabase(postgres);
  const { bucket, remove } = await makeBucket(s3);
  const read = (statements: readonly string[]): Promise<readonly (readonly Row[])[]> =>
    withClient(database.url, async (client) => {
      await client.query('begin transaction isolation level repeatable read read only');
      const answers: (readonly Row[])[] = [];
      for (const sql of statements) answers.push((await client.query<Row>(sql)).rows);
      await client.query('commit');
      return answers;
    });
  return {
    name: 'bucket',
    about: `${postgres.product} and ${s3.product}, two processes`,
    settings: {
      DATA_DIR: `${folder}/data`,
      DATABASE_URL: database.url,
      ...bucketSettings(s3, bucket),
    },
    processes: [['serve', '--no-worker'], ['worker']],
    read,
    async tablesOfWorkspaces() {
      const [tables = []] = await read([TABLES_OF_WORKSPACES]);
      return tables.map(({ name }) => String(name));
    },
    change: (statement) => runSql(database.url, statement),
    async quiet() {
      const others = 'select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
      for (let [left] = await read([others]); left?.length !== 0; [left] = await read([others])) await Bun.sleep(10);
    },
    checkDatabase: async () => undefined,
    readAll: () => readBucket(s3, bucket),
    async close() {
      await remove();
      await database.remove();
    },
  };
}

/** Reads the bucket with Bun's own client, which the service doesn't use. */
async function readBucket(s3: RealS3, bucket: string): Promise<Stored> {
  const client = clientOf(s3);
  const { objects: keys, uploads: unfinished } = await bucketContents(client, bucket);
  client.destroy();
  const reader = new S3Client({ ...s3.credentials, endpoint: s3.endpoint, region: s3.region, bucket });
  const [objects, uploads] = [new Map<string, string>(), new Map<string, string>()];
  const [trash, previews]: [string[], string[]] = [[], []];
  const pieces = new Set<string>();
  const others = unfinished.map(({ key }) => `${key} (unfinished)`);
  await forEachConcurrently(keys, 8, async (key) => {
    const trashed = TRASHED.exec(key)?.[1];
    if (trashed !== undefined) trash.push(trashed);
    if (trashed !== undefined || key === '.library') return;
    const preview = PREVIEW.exec(key)?.[1];
    if (preview !== undefined) return void previews.push(preview);
    const piece = PIECE.exec(key)?.[1];
    if (piece !== undefined) return void pieces.add(piece);
    const hash = sha256(await reader.file(key).bytes());
    if (key.startsWith('.uploads/')) uploads.set(key.slice('.uploads/'.length), hash);
    else if (key === '.library') return;
    else if (key.startsWith('.')) others.push(key);
    else objects.set(key, hash);
  });
  return { objects, uploads, pieces, trash, previews, others };
}
