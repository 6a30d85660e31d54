import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bucketContents, bucketObject, clientOf, makeBucket, realS3 } from '@postshelf/testing';
import { onSqlite } from '../../support/database.ts';
import { filesBelow } from '../../support/disk.ts';
import * as fixtures from '../../support/fixtures.ts';
import { file } from '../../support/multipart.ts';
import { settingsOf } from '../../support/s3.ts';
import { command, type Settings } from '../../support/server.ts';
import { onDisk } from '../../support/storage.ts';
import { World } from '../../support/world.ts';

/** Where media are kept, and a look at them behind the service's back. */
export interface Kind {
  readonly name: string;
  /** A world over SQLite, of one process, with some media, an upload that waits, and its server stopped. */
  open(): Promise<Library>;
}

export interface Library {
  readonly world: World;
  readonly id: string;
  /** The settings that lead to it, without a port. */
  readonly settings: Settings;
  readonly place: string;
  /** The SHA-256 of every file or object but the mark and the temporary ones, by name. */
  media(): Promise<Readonly<Record<string, string>>>;
  /** What the mark says; null where there is none. */
  mark(): Promise<{ library: string | null; generation: number; restoring: string | null } | null>;
  close(): Promise<void>;
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** A picture of its own for every number. */
export const picture = (number: number): Buffer => Buffer.concat([fixtures.png(), Buffer.from(`number ${number}`)]);

const isMedium = (name: string): boolean => name !== '.library' && !name.startsWith('.staging/');

async function filled(settings: Settings): Promise<World> {
  const world = await World.openAlone({ ...onSqlite, ...settings });
  await world.store(file('one.png', picture(1)), file('two.png', picture(2)), file('clip.mp4', fixtures.mp4()));
  const presigned = await world.call('POST /workspaces/{workspace}/media_contents/presign', {
    json: { files: [{ name: 'later.png', size: fixtures.png().length, mime: 'image/png' }] },
  });
  const [{ upload_url, upload_headers }] = (
    presigned.json as { data: [{ upload_url: string; upload_headers: Record<string, string> }] }
  ).data;
  const put = await fetch(upload_url, {
    method: 'PUT',
    headers: upload_headers,
    body: new Blob([Buffer.from(fixtures.png())]),
  });
  if (!put.ok) throw new Error(`The upload was answered ${put.status}.`);
  await world.server.end();
  return world;
}

async function library(
  world: World,
  place: string,
  read: (name: string) => Promise<Uint8Array>,
  names: () => Promise<readonly string[]>,
  remove: () => Promise<void>,
): Promise<Library> {
  const { PORT: _, ...settings } = world.server.settings;
  const mark = async () =>
    (await names()).includes('.library') ? JSON.parse(Buffer.from(await read('.library')).toString()) : null;
  const { library: id } = await mark();
  return {
    world,
    id,
    settings,
    place,
    mark,
    async media() {
      const all = (await names()).filter(isMedium).sort();
      return Object.fromEntries(await Promise.all(all.map(async (name) => [name, sha256(await read(name))] as const)));
    },
    async close() {
      await world.close();
      await remove();
    },
  };
}

const onFiles: Kind = {
  name: 'files',
  async open() {
    const world = await filled(onDisk);
    const root = join(world.dataDir, 'media');
    const read = async (name: string) => readFileSync(join(root, name));
    return library(
      world,
      root,
      read,
      async () => filesBelow(root),
      async () => undefined,
    );
  },
};

const s3 = await realS3('libraries and their databases, over S3');

const onS3: Kind | null = s3 && {
  name: s3.product,
  async open() {
    const { bucket, remove } = await makeBucket(s3);
    const client = clientOf(s3);
    const world = await filled(settingsOf(s3, bucket));
    const read = (key: string): Promise<Uint8Array> => bucketObject(client, bucket, key);
    return library(
      world,
      `the bucket "${bucket}"`,
      read,
      async () => (await bucketContents(client, bucket)).objects,
      async () => {
        client.destroy();
        await remove();
      },
    );
  },
};

/** Files, and S3 where there is one. */
export const kinds: readonly Kind[] = onS3 ? [onFiles, onS3] : [onFiles];

/** Runs a command that has to fail with one line, and gives the line. */
export async function refusal(args: readonly string[], settings: Settings): Promise<string> {
  const { code, stdout, stderr } = await command(args, settings);
  const lines = stderr.trimEnd().split('\n');
  if (code !== 1 || stdout !== '' || lines.length !== 1)
    throw new Error(`postshelf ${args.join(' ')} ended with ${code}: ${stdout}${stderr}`);
  return lines[0] ?? '';
}
