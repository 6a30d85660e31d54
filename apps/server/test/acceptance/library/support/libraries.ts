import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  bucketContents,
  bucketObject,
  clientOf,
  makeBucket,
  putObject,
  type RealS3,
  realS3,
} from '@postshelf/testing/servers/s3';
import { onSqlite } from '../../support/database.ts';
import { filesBelow } from '../../support/disk.ts';
import * as fixtures from '../../support/fixtures.ts';
import { file } from '../../support/multipart.ts';
import { stringAt } from '../../support/reply.ts';
import { settingsOf } from '../../support/s3.ts';
import { command, jwtSecret, removeFolder, type Settings, scratchFolder } from '../../support/server.ts';
import { onDisk } from '../../support/storage.ts';
import { World } from '../../support/world.ts';

/** A kind of storage for media. */
export interface Kind {
  readonly name: string;
  /**
   * Returns a stopped world with one process and SQLite. It contains some media and an unconfirmed upload, and is a
   * copy of a world that is made once for each kind.
   */
  open(): Promise<Library>;
  /** Returns a place for a new library. It has no database, and its storage is empty. */
  empty(): Promise<EmptyPlace>;
}

/** A storage that tests can read and change without the service. */
interface Watched {
  /** The settings for a service with this storage, without a port. */
  readonly settings: Settings;
  readonly place: string;
  /** The SHA-256 of every file or object, by name. The mark and temporary files are left out. */
  media(): Promise<Readonly<Record<string, string>>>;
  /** The content of the mark; null if there is none. */
  mark(): Promise<{ library: string | null; generation: number; restoring: string | null } | null>;
  putMark(text: string): Promise<void>;
  close(): Promise<void>;
}

export interface Library extends Watched {
  readonly world: World;
  readonly id: string;
}

export interface EmptyPlace extends Watched {
  readonly dataDir: string;
  put(key: string, text: string): Promise<void>;
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** A different image for each number. */
export const picture = (number: number): Buffer => Buffer.concat([fixtures.png(), Buffer.from(`number ${number}`)]);

const isMedium = (name: string): boolean => name !== '.library' && !name.startsWith('.staging/');

async function filled(settings: Settings): Promise<World> {
  const world = await World.openAlone({ ...onSqlite, ...settings });
  await world.store(file('one.png', picture(1)), file('two.png', picture(2)), file('clip.mp4', fixtures.mp4()));
  const presigned = await world.call('POST /workspaces/{workspace}/media_contents/presign', {
    json: { files: [{ name: 'later.png', size: fixtures.png().length, mime: 'image/png' }] },
  });
  const url = stringAt(presigned.json, 'data', 0, 'upload_url');
  const headers = { 'content-type': 'image/png' };
  const put = await fetch(url, { method: 'PUT', headers, body: new Blob([Buffer.from(fixtures.png())]) });
  if (!put.ok) throw new Error(`The upload was answered ${put.status}.`);
  await world.server.end();
  return world;
}

/** The files or objects of a storage. */
interface RawStorage {
  readonly place: string;
  names(): Promise<readonly string[]>;
  read(name: string): Promise<Uint8Array>;
  write(name: string, body: string | Uint8Array): Promise<void>;
  remove(): Promise<void>;
}

function watch(settings: Settings, raw: RawStorage): Watched {
  const { PORT: _, ...own } = settings;
  const { names, read } = raw;
  return {
    settings: own,
    place: raw.place,
    async mark() {
      const isMarked = (await names()).includes('.library');
      return isMarked ? JSON.parse(Buffer.from(await read('.library')).toString()) : null;
    },
    async media() {
      const all = (await names()).filter(isMedium).sort();
      const found = await Promise.all(
        all.map(async (name) => {
          const bytes = await read(name).catch(unlessGone);
          return bytes === null ? [] : [[name, sha256(bytes)] as const];
        }),
      );
      return Object.fromEntries(found.flat());
    },
    putMark: (text) => raw.write('.library', text),
    close: raw.remove,
  };
}

async function libraryOf(world: World, raw: RawStorage): Promise<Library> {
  const watched = watch(world.server.settings, raw);
  const close = async (): Promise<void> => {
    await world.close();
    await raw.remove();
  };
  return { ...watched, world, id: (await watched.mark())?.library ?? '', close };
}

function emptyPlace(dataDir: string, settings: Settings, raw: RawStorage): EmptyPlace {
  const watched = watch({ ...onSqlite, ...settings, DATA_DIR: dataDir, JWT_SECRET: jwtSecret }, raw);
  const close = async (): Promise<void> => {
    removeFolder(dataDir);
    await raw.remove();
  };
  return { ...watched, dataDir, put: raw.write, close };
}

const folder = (root: string): RawStorage => ({
  place: root,
  names: async () => [...(existsSync(join(root, '.library')) ? ['.library'] : []), ...filesBelow(root)],
  read: async (name) => readFileSync(join(root, name)),
  write: async (name, text) => writeFileSync(join(root, name), text),
  remove: async () => undefined,
});

/** The original from which libraries are copied. It is made when the first library is opened. */
class Prepared<T> {
  #made: Promise<T> | undefined;

  constructor(
    private readonly make: () => Promise<T>,
    private readonly remove: (made: T) => Promise<void>,
  ) {}

  get(): Promise<T> {
    this.#made ??= this.make();
    return this.#made;
  }

  async close(): Promise<void> {
    const made = this.#made;
    this.#made = undefined;
    if (made) await this.remove(await made);
  }
}

const preparedFiles = new Prepared(
  () => filled(onDisk),
  (world) => world.close(),
);

const onFiles: Kind = {
  name: 'files',
  async open() {
    const prepared = await preparedFiles.get();
    const dataDir = scratchFolder();
    cpSync(prepared.dataDir, dataDir, { recursive: true });
    return libraryOf(await prepared.copiedTo(dataDir), folder(join(dataDir, 'media')));
  },
  async empty() {
    const dataDir = join(scratchFolder(), 'data');
    return emptyPlace(dataDir, onDisk, folder(join(dataDir, 'media')));
  },
};

const s3 = await realS3('libraries and their databases, over S3');

async function bucketOf(store: RealS3): Promise<{ readonly settings: Settings; readonly raw: RawStorage }> {
  const { bucket, remove } = await makeBucket(store);
  const client = clientOf(store);
  const raw: RawStorage = {
    place: `the bucket "${bucket}"`,
    names: async () => (await bucketContents(client, bucket)).objects,
    read: (key) => bucketObject(client, bucket, key),
    write: (key, text) => putObject(client, bucket, key, text),
    async remove() {
      client.destroy();
      await remove();
    },
  };
  return { settings: settingsOf(store, bucket), raw };
}

const preparedBucket = new Prepared(
  async () => {
    if (!s3) throw new Error('There is no store that speaks S3.');
    const { settings, raw } = await bucketOf(s3);
    return { world: await filled(settings), raw };
  },
  async ({ world, raw }) => {
    await world.close();
    await raw.remove();
  },
);

const onS3: Kind | null = s3 && {
  name: s3.product,
  async open() {
    const [prepared, { settings, raw }] = await Promise.all([preparedBucket.get(), bucketOf(s3)]);
    const names = await prepared.raw.names();
    await Promise.all(names.map(async (name) => raw.write(name, await prepared.raw.read(name))));
    const dataDir = scratchFolder();
    cpSync(prepared.world.dataDir, dataDir, { recursive: true });
    return libraryOf(await prepared.world.copiedTo(dataDir, settings), raw);
  },
  async empty() {
    const { settings, raw } = await bucketOf(s3);
    return emptyPlace(join(scratchFolder(), 'data'), settings, raw);
  },
};

/** The kinds of storage on this machine: files, and S3 if a store is available. */
export const kinds: readonly Kind[] = onS3 ? [onFiles, onS3] : [onFiles];

/** The kind for tests whose result doesn't depend on the kind of storage. */
export const files: Kind = onFiles;

/** Closes all kinds. Each test file calls this function after its tests. */
export async function closeKinds(): Promise<void> {
  await Promise.all([preparedFiles.close(), preparedBucket.close()]);
}

/** Commands that run until they are stopped, and report errors in their log. */
const SERVICES = ['serve', 'worker'];

/** Runs a command that must fail with a one-line error. @returns the line, or for a service the message in the line */
export async function refusal(args: readonly string[], settings: Settings): Promise<string> {
  const { code, stdout, stderr } = await command(args, settings);
  const lines = stderr.trimEnd().split('\n');
  const isService = SERVICES.includes(args[0] ?? '');
  if (code !== 1 || (stdout !== '' && !isService) || lines.length !== 1)
    throw new Error(`postshelf ${args.join(' ')} ended with ${code}: ${stdout}${stderr}`);
  const [line = ''] = lines;
  if (!isService) return line;
  const { msg, stack } = JSON.parse(line);
  if (stack !== undefined) throw new Error(`postshelf ${args.join(' ')} failed unexpectedly: ${line}`);
  return msg;
}

/** Returns null for an error that says that an object no longer exists, and rethrows any other error. */
function unlessGone(cause: unknown): null {
  if (cause instanceof Error && ['NoSuchKey', 'ENOENT'].includes('code' in cause ? String(cause.code) : cause.name))
    return null;
  throw cause;
}
