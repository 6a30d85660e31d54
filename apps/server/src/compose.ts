import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import {
  type AdoptionPlan,
  adoptStorage,
  type CopyObjectsOptions,
  type CopyObjectsReport,
  cacheVerifiedTokens,
  checkOwnership,
  copyObjects,
  establishOwnership,
  markTarget,
  type Ownership,
  type Ports,
  planAdoption,
  requireFreshStorage,
} from '@postshelf/application';
import {
  type CopyProgress,
  type CopyReport,
  copyDatabase,
  type Database,
  isLibraryAt,
  openSqlite,
  restoreSqlite,
  UnusableDatabase,
} from '@postshelf/database';
import {
  type Library,
  type LibraryLocations,
  type ObjectStorage,
  type PresignReceiver,
  type PresignStorage,
  Refusal,
  type StorageMarker,
  type Trash,
} from '@postshelf/domain';
import { createCoverMaker, createMediaInspector, createRemoteFiles, findFfmpeg } from '@postshelf/media';
import {
  digest,
  diskRoom,
  fileMarker,
  fileTrash,
  lookAtFiles,
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
import { knownJwtSecret } from './jwt-secret.ts';
import { claimSecret } from './own-secret.ts';
import { systemClock, systemIds } from './system.ts';

/** The program's parts, put together; whoever composes closes. */
export interface Composition {
  readonly ports: Ports;
  readonly store: MediaStore;
  readonly database: Database;
  /** Names of the migrations that this start ran. */
  readonly migrated: readonly string[];
  /** What was found of database and storage at the start; null where the storage was out of reach, or nobody looked. */
  readonly ownership: Ownership | null;
  /** The ffmpeg that makes covers, looked for once; null when there is none, and videos go without. */
  ffmpeg(): Promise<{ readonly path: string; readonly version: string } | null>;
  close(): Promise<void>;
}

/** What a program does with the secret that signs tokens and addresses. */
interface SecretUse {
  /** Whether it signs for others: the secret has to be the library's then, and is made where there is none yet. */
  readonly signs: boolean;
}

/**
 * Makes every adapter, the only place that does, and brings the database's schema up to date. It stops where database and
 * storage aren't one library's; what is missing is made only once that is known (docs/decisions/015-library-id.md).
 *
 * @throws ConfigError; OwnershipRefused; what an adapter throws that can't be opened
 */
export async function compose(config: Config, use: SecretUse = { signs: true }): Promise<Composition> {
  const media = await lookAtMedia(config);
  try {
    return await over(openForStart(config, media), async (opened) => {
      const ports = ownershipPorts(opened.database, media);
      const known = await whileInReach(media, () => checkOwnership(ports));
      await makeDataDir(config);
      const store = await media.open();
      const ownership = known && (await whileInReach(media, () => establishOwnership({ ...ports, ...store })));
      return assemble(config, { ...opened, store, ownership }, use);
    });
  } catch (error) {
    media.close();
    throw error;
  }
}

/**
 * The same over a library that is there and up to date, for what makes none.
 *
 * @throws ConfigError when it isn't
 */
export async function composeExisting(config: Config, use: SecretUse = { signs: false }): Promise<Composition> {
  await requireDatabase(NO_LIBRARY, config.database);
  return over(openCurrent(config), async (opened) => {
    const media = await lookAtMedia(config);
    try {
      if (!(await media.isThere())) throw new ConfigError(`${NO_LIBRARY}: there is no folder ${media.place}`);
      return await assemble(config, { ...opened, store: await media.open(), ownership: null }, use);
    } catch (error) {
      media.close();
      throw error;
    }
  });
}

const NO_LIBRARY = 'DATA_DIR, DATABASE_URL: there is no library here';

/** Closes the database where its use fails. */
async function over<T>(opening: Promise<OpenedDatabase>, use: (opened: OpenedDatabase) => Promise<T>): Promise<T> {
  const opened = await opening;
  try {
    return await use(opened);
  } catch (error) {
    await opened.database.close();
    throw error;
  }
}

/** Opens the database and brings its schema up to date; makes one only for a storage that has no media. */
async function openForStart(config: Config, media: MediaLook): Promise<OpenedDatabase> {
  const requireFresh = (database: string) =>
    whileInReach(media, async () =>
      requireFreshStorage({ ...media, locations: { database, storage: media.place } }, await media.hasOthers()),
    );
  if (config.database.kind === 'sqlite') {
    const { file } = config.database;
    if (!(await isLibraryAt(file).catch(explain()))) {
      await requireFresh(`sqlite:${file}`);
      await makeDataDir(config);
    }
  }
  return openingDatabase(config.database, async (database) => {
    const isServer = config.database.kind === 'postgres';
    if (isServer && (await database.migrations()).isNew) await requireFresh(database.rows.place);
    return { database, migrated: await database.migrate() };
  });
}

const ownershipPorts = ({ library, media, rows }: Database, { storage, marker, place }: MediaLook) => ({
  clock: systemClock,
  ids: systemIds,
  library,
  media,
  storage,
  marker,
  locations: { database: rows.place, storage: place },
});

/**
 * What the work answers; null where the storage is out of reach. It may come up later, so nothing waits for it; each
 * sweep that deletes asks again.
 */
async function whileInReach<T>(media: MediaLook, work: () => Promise<T>): Promise<T | null> {
  if (media.isOutOfReach) return null;
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal && error.problem.code === 'unavailable') return null;
    throw error;
  }
}

type Opened = OpenedDatabase & Pick<Composition, 'ownership'> & { readonly store: MediaStorage };

async function assemble(config: Config, opened: Opened, { signs }: SecretUse): Promise<Composition> {
  const { database, migrated, ownership } = opened;
  const { library, workspaces, tokens, folders, media, imports, presign, profiles, posts, bestTimes, objectChecks } =
    database;
  // Where nothing is signed for others, any will do.
  const secret = signs
    ? await claimSecret(config, library)
    : (config.jwtSecret ?? (await knownJwtSecret(config.dataDir)) ?? randomUUID());
  const signer = createJwtSigner(secret);
  const store = await opened.store.withSecret(secret);
  // Asking ffmpeg who it is takes longer than all else here, and most commands never want to know.
  const ffmpeg = once(() => findFfmpeg(config.ffmpegPath ?? undefined));
  const covers = once(async () => createCoverMaker({ ffmpegPath: (await ffmpeg())?.path ?? null }));
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
    trash: store.trash,
    marker: store.marker,
    locations: { database: database.rows.place, storage: store.place },
    presign,
    presignStorage: store.uploads,
    inspector: createMediaInspector(),
    profiles,
    posts,
    bestTimes,
    objectChecks,
    covers: { make: async (source) => (await covers()).make(source) },
    signer: cacheVerifiedTokens(signer, systemClock),
    processes: await openProcesses(),
  };
  const close = async (): Promise<void> => {
    store.close();
    await database.close();
  };
  return { ports, store, database, migrated, ownership, ffmpeg, close };
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

type OpenedDatabase = Pick<Composition, 'database' | 'migrated'>;

const openMigrated = ({ database }: Config): Promise<OpenedDatabase> =>
  openingDatabase(database, async (opened) => ({ database: opened, migrated: await opened.migrate() }));

/** What messages call a database that isn't there yet, or has nothing of ours; null for a library's. Makes none. */
async function placeOfNew(config: DatabaseConfig): Promise<string | null> {
  if (config.kind === 'sqlite') {
    return (await isLibraryAt(config.file).catch(explain())) ? null : `sqlite:${config.file}`;
  }
  return openingDatabase(config, async (database) => {
    const { isNew } = await database.migrations();
    await database.close();
    return isNew ? database.rows.place : null;
  });
}

const openCurrent = ({ database }: Config): Promise<OpenedDatabase> =>
  openingDatabase(database, async (opened) => {
    const { isNew, pending } = await opened.migrations();
    if (isNew) throw new ConfigError(`${NO_LIBRARY}: ${noDatabase(opened.rows.place)}`);
    if (pending.length === 0) return { database: opened, migrated: [] };
    throw new ConfigError(
      `The database ${opened.rows.place} lacks the migration ${pending.join(', ')}: run postshelf migrate`,
    );
  });

const noDatabase = (place: string): string =>
  `there is no database ${place} (the first start, or postshelf migrate, makes one)`;

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

/** @throws ConfigError where a database is kept in a file, and there is none; opening it would make it */
async function requireDatabase(name: string, config: DatabaseConfig): Promise<void> {
  if (config.kind !== 'sqlite' || (await isLibraryAt(config.file).catch(explain(name)))) return;
  throw new ConfigError(`${name}: ${noDatabase(`sqlite:${config.file}`)}`);
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
 * The place that a backup is restored to. Nothing is made there before the restore says so.
 *
 * @throws ConfigError when the database is none that this program restores
 */
export async function composeRestore(config: Config) {
  const { database } = config;
  if (database.kind !== 'sqlite') throw new ConfigError(PG_TOOLS);
  const media = await lookAtMedia(config);
  const restored = restoreSqlite(database.file);
  return {
    clock: systemClock,
    ids: systemIds,
    locations: { database: `sqlite:${database.file}`, storage: media.place },
    marker: media.marker,
    look: media.storage,
    async prepare() {
      await makeDataDir(config);
      return media.open();
    },
    database: {
      ...restored,
      async receive(body: AsyncIterable<Uint8Array>) {
        await makeDataDir(config);
        return restored.receive(body);
      },
    },
    close: () => media.close(),
  };
}

/** A database and a storage that may be joined to one library. */
export interface Adoption {
  readonly locations: LibraryLocations;
  plan(): Promise<AdoptionPlan>;
  /** Makes what is missing of the two, and joins them. */
  apply(): Promise<Library>;
  close(): Promise<void>;
}

/** @throws ConfigError when the database lacks migrations */
export async function composeAdoption(config: Config): Promise<Adoption> {
  const media = await lookAtMedia(config);
  const { place, storage, marker } = media;
  const opened: Database[] = [];
  const open = async (opening: Promise<OpenedDatabase>): Promise<Database> => {
    const { database } = await opening;
    opened.push(database);
    return database;
  };
  const there = await placeOfNew(config.database);
  const database = there === null ? await open(openCurrent(config)) : null;
  return {
    locations: { database: there ?? database?.rows.place ?? '', storage: place },
    plan: () => planAdoption({ marker, storage, database }),
    async apply() {
      await makeDataDir(config);
      const { library } = database ?? (await open(openMigrated(config)));
      await media.open();
      return adoptStorage({ library, marker, clock: systemClock, ids: systemIds });
    },
    async close() {
      media.close();
      await Promise.all(opened.map((each) => each.close()));
    },
  };
}

async function openExisting(name: string, config: DatabaseConfig): Promise<Database> {
  if (config.kind === 'sqlite' && !(await Bun.file(config.file).exists()))
    throw new ConfigError(`${name}: there is no database ${config.file}`);
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
  await requireDatabase(NO_LIBRARY, config.database);
  const database = await openExisting('DATABASE_URL', config.database);
  try {
    if ((await database.migrations()).isNew) throw new ConfigError(`${NO_LIBRARY}: ${noDatabase(database.rows.place)}`);
    await database.migrate().catch(explain('DATABASE_URL'));
    const bucket = await openBucket(config, config.s3);
    const { storage, marker, place } = bucket;
    const { library, media, rows } = database;
    const locations = { database: rows.place, storage: place };
    await markTarget({ library, media, storage, marker, locations, clock: systemClock, ids: systemIds });
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
interface MediaStore extends Omit<MediaStorage, 'withSecret'> {
  readonly uploads: PresignStorage;
  /** null where the storage takes presigned uploads itself. */
  readonly signedUploads: PresignReceiver | null;
}

/** The same before it is known what signs the addresses of uploads. */
interface MediaStorage {
  readonly storage: ObjectStorage;
  readonly marker: StorageMarker;
  readonly trash: Trash;
  /** What messages call it. */
  readonly place: string;
  /** Where links begin, without a trailing slash. */
  readonly mediaBase: string;
  /** A short-lived address to send readers of a link to; null: this service streams. */
  readonly redirectTo: ((fullName: string, method: 'GET' | 'HEAD') => Promise<string>) | null;
  /** Why the storage doesn't work yet, for the log; null when it does. */
  readonly outOfReach: unknown;
  /** The disk that media fill; null where they go elsewhere. */
  readonly room: Room | null;
  withSecret(secret: string): Promise<MediaStore>;
  close(): void;
}

/** What can be asked of where media are kept, before anything is made there. */
interface MediaLook extends Pick<MediaStorage, 'marker' | 'place' | 'close'> {
  readonly storage: Pick<ObjectStorage, 'open' | 'list'>;
  readonly isOutOfReach: boolean;
  /** Whether there is anything beside objects: uploads, or what was set aside. */
  hasOthers(): Promise<boolean>;
  isThere(): Promise<boolean>;
  /** Makes what is missing of it. */
  open(): Promise<MediaStorage>;
}

/** Seconds that an address behind a redirect lives: long enough for a video that is paused and sought in. */
const REDIRECT_LIFE = 60 * 60;

/** A bucket where one is set, else a folder of the data directory. */
const lookAtMedia = async (config: Config): Promise<MediaLook> =>
  config.s3 ? lookAtBucket(config, config.s3) : lookAtFolder(config);

function lookAtFolder(config: Config): MediaLook {
  const root = join(config.dataDir, 'media');
  const { storage, hasOthers, isThere } = lookAtFiles(root);
  return {
    storage,
    marker: fileMarker(root),
    place: root,
    isOutOfReach: false,
    hasOthers,
    isThere,
    open: () => openFolder(config, root),
    close: () => undefined,
  };
}

async function openFolder(config: Config, root: string): Promise<MediaStorage> {
  const { minFreeDisk: minFree } = config;
  const storage = await openFileStorage(root, minFree);
  const urlOf = (id: string): string => `${config.publicUrl}/uploads/${id}`;
  const folder = {
    storage,
    marker: fileMarker(root),
    trash: fileTrash(root),
    place: root,
    mediaBase: `${config.publicUrl}/files`,
    redirectTo: null,
    outOfReach: await storage.check().then(
      () => null,
      (error: unknown) => error,
    ),
    room: diskRoom(root, minFree),
    close: () => undefined,
  };
  const withSecret = async (secret: string): Promise<MediaStore> => {
    const uploads = await openFileUploads(root, { secret, urlOf, clock: systemClock, minFree });
    return { ...folder, uploads, signedUploads: uploads };
  };
  return { ...folder, withSecret };
}

async function lookAtBucket(config: Config, s3: S3Config): Promise<MediaLook> {
  const bucket = await openBucket(config, s3);
  const { storage, marker, place, outOfReach, hasOthers, close } = bucket;
  return {
    storage,
    marker,
    place,
    isOutOfReach: outOfReach !== null,
    hasOthers,
    isThere: async () => true,
    open: async () => bucket,
    close,
  };
}

async function openBucket(config: Config, s3: S3Config) {
  // Loaded where it is used: a service that keeps files shouldn't carry the SDK.
  const { openS3, UnusableBucket } = await import('@postshelf/storage/s3');
  const opened = await openS3(optionsOf(s3)).catch((error: unknown) => {
    throw error instanceof UnusableBucket ? asConfigError(error) : error;
  });
  const { storage, marker, trash, uploads, links, place, outOfReach } = opened;
  const redirect = (fullName: string, method: 'GET' | 'HEAD') =>
    links.linkTo(fullName, { method, expiresIn: REDIRECT_LIFE });
  const bucket = {
    storage,
    marker,
    trash,
    place,
    mediaBase: s3.publicUrl ?? `${config.publicUrl}/files`,
    redirectTo: s3.redirect ? redirect : null,
    outOfReach,
    room: null,
    close: () => opened.close(),
  };
  return {
    ...bucket,
    hasOthers: async () => (await isAnyIn(uploads.list())) || (await isAnyIn(trash.list())),
    withSecret: async (): Promise<MediaStore> => ({ ...bucket, uploads, signedUploads: null }),
  };
}

async function isAnyIn(all: AsyncIterable<unknown>): Promise<boolean> {
  for await (const _ of all) return true;
  return false;
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
