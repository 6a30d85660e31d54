import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import {
  type CopyObjectsOptions,
  type CopyObjectsReport,
  copyObjects,
  type Ports,
  rememberVerified,
} from '@postshelf/application';
import {
  type CopyProgress,
  type CopyReport,
  copyDatabase,
  type Database,
  openSqlite,
  restoreSqlite,
  UnusableDatabase,
} from '@postshelf/database';
import type { Clock, DirectUploads, ObjectStorage, SignedUploads } from '@postshelf/domain';
import { createCoverMaker, createMediaInspector, createRemoteFiles, findFfmpeg } from '@postshelf/media';
import {
  digest,
  diskRoom,
  openFileStorage,
  openFileUploads,
  openProcesses,
  type Room,
  readFileStorage,
} from '@postshelf/storage';
import type { BucketSetup, S3Options, UnusableBucket } from '@postshelf/storage/s3';
import { bufferDebt, MAX_DEBT } from './buffer-debt.ts';
import { type Config, ConfigError, type DatabaseConfig, type S3Config } from './config.ts';
import { makeFolder } from './durable-folder.ts';
import { createJwtSigner } from './http/jwt-signer.ts';
import { loadJwtSecret } from './jwt-secret.ts';
import { systemClock, systemIds } from './system.ts';

/** The program's parts, put together; whoever composes closes. */
export interface Composition {
  readonly ports: Ports;
  readonly store: MediaStore;
  readonly database: Database;
  /** Names of the migrations that this start ran. */
  readonly migrated: readonly string[];
  /** The ffmpeg that makes covers, looked for once; null when there is none, and videos go without. */
  ffmpeg(): Promise<{ readonly path: string; readonly version: string } | null>;
  close(): Promise<void>;
}

/**
 * Makes every adapter, the only place that does, and brings the database's schema up to date.
 *
 * @throws what an adapter throws that can't be opened
 */
export const compose = (config: Config): Promise<Composition> => composeOver(config, openMigrated);

/**
 * The same over a database that is there and up to date, for what should look at it and make nothing.
 *
 * @throws ConfigError when it isn't
 */
export async function composeExisting(config: Config): Promise<Composition> {
  const { database } = config;
  await requireFile('DATA_DIR, DATABASE_URL', database);
  // A server's is asked, before anything is made in the data directory.
  if (database.kind === 'postgres') await (await openCurrent(config)).database.close();
  return composeOver(config, openCurrent);
}

async function composeOver(config: Config, openDatabase: OpenDatabase): Promise<Composition> {
  await makeDataDir(config);
  const secret = config.jwtSecret ?? (await loadJwtSecret(config.dataDir));
  const signer = createJwtSigner(secret);
  const store = await openMediaStore(config, secret, systemClock);
  const { database, migrated } = await openDatabase(config);
  // Asking ffmpeg who it is takes longer than all else here, and most commands never want to know.
  const ffmpeg = once(() => findFfmpeg(config.ffmpegPath ?? undefined));
  const covers = once(async () => createCoverMaker({ ffmpegPath: (await ffmpeg())?.path ?? null }));
  const { library, workspaces, tokens, folders, media, imports, presigned, profiles, posts, engagement, objectChecks } =
    database;
  const ports: Ports = {
    clock: systemClock,
    ids: systemIds,
    library,
    workspaces,
    tokens,
    folders,
    media,
    imports,
    remoteFiles: createRemoteFiles({
      allowedNetworks: config.importAllowedNetworks,
      onChunk: bufferDebt(MAX_DEBT.imports),
    }),
    storage: store.storage,
    presigned,
    uploads: store.uploads,
    inspector: createMediaInspector(),
    profiles,
    posts,
    engagement,
    objectChecks,
    covers: { make: async (source) => (await covers()).make(source) },
    signer: rememberVerified(signer, systemClock),
    processes: await openProcesses(),
  };
  const close = async (): Promise<void> => {
    store.close();
    await database.close();
  };
  return { ports, store, database, migrated, ffmpeg, close };
}

/** What is made when it is first wanted, and then kept. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

async function makeDataDir(config: Config): Promise<void> {
  await makeFolder(config.dataDir).catch((cause: unknown) => {
    throw new ConfigError(
      `DATA_DIR: ${config.dataDir} cannot be made (${cause instanceof Error ? cause.message : cause})`,
    );
  });
}

/** Opens the database of a program that is composed, and says which migrations that ran. */
type OpenDatabase = (config: Config) => Promise<Pick<Composition, 'database' | 'migrated'>>;

const openMigrated: OpenDatabase = (config) =>
  openingDatabase(config.database, async (database) => ({ database, migrated: await database.migrate() }));

const openCurrent: OpenDatabase = (config) =>
  openingDatabase(config.database, async (database) => {
    await database.check();
    return { database, migrated: [] };
  });

async function openingDatabase<T>(config: DatabaseConfig, use: (database: Database) => Promise<T>): Promise<T> {
  let database: Database | null = null;
  try {
    database = await openConfigured(config);
    return await use(database);
  } catch (error) {
    await database?.close();
    return explain()(error);
  }
}

async function openConfigured(config: DatabaseConfig): Promise<Database> {
  if (config.kind === 'sqlite') return openSqlite(config.file);
  // Loaded where it is used: a service that keeps a file needs no client of a server.
  const { openPostgres } = await import('@postshelf/database/postgres');
  const { url, poolSize, statementTimeout } = config;
  return openPostgres(url, { poolSize, statementTimeoutMs: statementTimeout });
}

/** @throws ConfigError where a database is kept in a file that isn't there; opening it would make it */
async function requireFile(name: string, config: DatabaseConfig): Promise<void> {
  if (config.kind !== 'sqlite' || (await Bun.file(config.file).exists())) return;
  throw new ConfigError(`${name}: there is no database ${config.file}`);
}

/** A database that can't be used is for the operator to put right, where it was named. */
const explain =
  (name?: string) =>
  (error: unknown): never => {
    if (!(error instanceof UnusableDatabase)) throw error;
    throw new ConfigError(name ? `${name}: ${error.message}` : error.message, { cause: error });
  };

const PG_TOOLS = 'DATABASE_URL: PostgreSQL is restored by its own tools (pg_restore), media by those of their storage.';

/** What counts and hashes the bytes of objects. */
export { digest } from '@postshelf/storage';

/** What reads and writes backups; loaded where it is used. */
export const loadBackupTools = () => import('@postshelf/storage/backup');

/**
 * The empty place that a backup is restored to.
 *
 * @throws ConfigError when the database is none that this program restores
 */
export async function composeRestore(config: Config) {
  const { database } = config;
  if (database.kind !== 'sqlite') throw new ConfigError(PG_TOOLS);
  await makeDataDir(config);
  // It signs no address meanwhile.
  const store = await openMediaStore(config, randomUUID(), systemClock);
  return { storage: store.storage, database: restoreSqlite(database.file), close: () => store.close() };
}

async function openExisting(name: string, config: DatabaseConfig): Promise<Database> {
  await requireFile(name, config);
  return openConfigured(config).catch(explain(name));
}

/** The two databases of a copy, and the copying. */
export interface DatabaseMove {
  /** What they are called, without passwords. */
  readonly from: string;
  readonly to: string;
  /** @throws ConfigError when it can't be done with these two */
  copy(onProgress: (progress: CopyProgress) => void): Promise<CopyReport>;
  close(): Promise<void>;
}

/** @throws ConfigError when one of the two can't be opened; only the target is made where it isn't there */
export async function composeDatabaseMove(from: DatabaseConfig, to: DatabaseConfig): Promise<DatabaseMove> {
  const source = await openExisting('--from', from);
  const target = await openConfigured(to).catch(async (error: unknown) => {
    await source.close();
    return explain('--to')(error);
  });
  return {
    from: source.rows.place,
    to: target.rows.place,
    copy: (onProgress) => copyDatabase(source, target, onProgress).catch(explain('copy')),
    close: async () => {
      await Promise.all([source.close(), target.close()]);
    },
  };
}

/** The copying of objects from a folder to the bucket of the settings, for the rows in their database. */
export interface ObjectMove {
  copy(options: CopyObjectsOptions): Promise<CopyObjectsReport>;
  close(): Promise<void>;
}

/** @throws ConfigError when no bucket is set, or the folder or the database isn't there */
export async function composeObjectMove(config: Config, directory: string): Promise<ObjectMove> {
  if (config.s3 === null) throw new ConfigError('S3_BUCKET: is missing; the S3_ settings say where --to-s3 goes');
  const source = await readFileStorage(directory).catch((error: unknown) => {
    throw new ConfigError(`--from-files: ${error instanceof Error ? error.message : error}`);
  });
  const database = await openExisting('DATABASE_URL', config.database);
  try {
    await database.migrate().catch(explain('DATABASE_URL'));
    const bucket = await openBucket(config, config.s3);
    return {
      copy: (options) => copyObjects({ media: database.media, source, target: bucket.storage, digest }, options),
      close: async () => {
        bucket.close();
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Where media are kept, and how their links are served. */
interface MediaStore {
  readonly storage: ObjectStorage;
  readonly uploads: DirectUploads;
  /** null where the storage takes presigned uploads itself. */
  readonly signedUploads: SignedUploads | null;
  /** Where links begin, without a trailing slash. */
  readonly mediaBase: string;
  /** A short-lived address to send readers of a link to; null: this service streams. */
  readonly redirectTo: ((fullName: string, method: 'GET' | 'HEAD') => Promise<string>) | null;
  /** Why the storage doesn't work yet, for the log; null when it does. */
  readonly outOfReach: unknown;
  /** The disk that media fill; null where they go elsewhere. */
  readonly room: Room | null;
  close(): void;
}

/** Seconds that an address behind a redirect lives: long enough for a video that is paused and sought in. */
const REDIRECT_LIFE = 60 * 60;

/** A bucket where one is set, else a folder of the data directory. */
async function openMediaStore(config: Config, secret: string, clock: Clock): Promise<MediaStore> {
  return config.s3 ? openBucket(config, config.s3) : openFolder(config, secret, clock);
}

async function openFolder(config: Config, secret: string, clock: Clock): Promise<MediaStore> {
  const root = join(config.dataDir, 'media');
  const { minFreeDisk: minFree } = config;
  const storage = await openFileStorage(root, minFree);
  const urlOf = (id: string): string => `${config.publicUrl}/uploads/${id}`;
  const uploads = await openFileUploads(root, { secret, urlOf, clock, minFree });
  const mediaBase = `${config.publicUrl}/files`;
  return {
    storage,
    uploads,
    signedUploads: uploads,
    mediaBase,
    redirectTo: null,
    outOfReach: await storage.check().then(
      () => null,
      (error: unknown) => error,
    ),
    room: diskRoom(root, minFree),
    close: () => undefined,
  };
}

async function openBucket(config: Config, s3: S3Config): Promise<MediaStore> {
  // Loaded where it is used: a service that keeps files shouldn't carry the SDK.
  const { openS3, UnusableBucket } = await import('@postshelf/storage/s3');
  const opened = await openS3(optionsOf(s3)).catch((error: unknown) => {
    throw error instanceof UnusableBucket ? asConfigError(error) : error;
  });
  const { storage, uploads, links, outOfReach } = opened;
  const redirect = (fullName: string, method: 'GET' | 'HEAD') =>
    links.linkTo(fullName, { method, expiresIn: REDIRECT_LIFE });
  return {
    storage,
    uploads,
    signedUploads: null,
    mediaBase: s3.publicUrl ?? `${config.publicUrl}/files`,
    redirectTo: s3.redirect ? redirect : null,
    outOfReach,
    room: null,
    close: () => opened.close(),
  };
}

/**
 * What sets up the bucket of the settings; null where media are kept in a folder. Needs neither the database nor the
 * rights to the bucket's objects, so an operator may run it anywhere, with a key of its own.
 */
export async function composeBucketSetup({ s3 }: Config): Promise<BucketSetup | null> {
  if (!s3) return null;
  const { openBucketSetup, UnusableBucket } = await import('@postshelf/storage/s3');
  const setup = openBucketSetup(optionsOf(s3));
  const apply: BucketSetup['apply'] = async (wishes) => {
    try {
      return await setup.apply(wishes);
    } catch (error) {
      throw error instanceof UnusableBucket ? asConfigError(error) : error;
    }
  };
  return { ...setup, apply };
}

function optionsOf({ endpoint, clientEndpoint, region, bucket, credentials, forcePathStyle }: S3Config): S3Options {
  return {
    region,
    bucket,
    forcePathStyle,
    ...(endpoint !== null && { endpoint }),
    ...(clientEndpoint !== null && { clientEndpoint }),
    ...(credentials !== null && { credentials }),
  };
}

const SETTINGS = {
  bucket: 'S3_BUCKET',
  endpoint: 'S3_ENDPOINT',
  region: 'S3_REGION',
  accessKeyId: 'S3_ACCESS_KEY_ID',
  secretAccessKey: 'S3_SECRET_ACCESS_KEY',
} as const satisfies Record<UnusableBucket['option'], string>;

const asConfigError = ({ option, message }: UnusableBucket): ConfigError =>
  new ConfigError(`${SETTINGS[option]}: ${message}`);
