import { mkdir } from 'node:fs/promises';
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
  UnusableDatabase,
} from '@postshelf/database';
import type { Clock, DirectUploads, ObjectStorage, SignedUploads } from '@postshelf/domain';
import { createCoverMaker, createMediaInspector, createRemoteFiles, findFfmpeg } from '@postshelf/media';
import { digest, openFileStorage, openFileUploads, readFileStorage } from '@postshelf/storage';
import { bufferDebt, MAX_DEBT } from './buffer-debt.ts';
import { type Config, ConfigError, type DatabaseConfig, type S3Config } from './config.ts';
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
  /** The ffmpeg that makes covers; null when there is none, and videos go without. */
  readonly ffmpeg: { readonly path: string; readonly version: string } | null;
  close(): Promise<void>;
}

/**
 * Makes every adapter, the only place that does, and brings the database's schema up to date.
 *
 * @throws what an adapter throws that can't be opened
 */
export async function compose(config: Config): Promise<Composition> {
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 }).catch((cause: unknown) => {
    throw new ConfigError(
      `DATA_DIR: ${config.dataDir} cannot be made (${cause instanceof Error ? cause.message : cause})`,
    );
  });
  const secret = config.jwtSecret ?? (await loadJwtSecret(config.dataDir));
  const signer = createJwtSigner(secret);
  const store = await openMediaStore(config, secret, systemClock);
  const ffmpeg = await findFfmpeg(config.ffmpegPath ?? undefined);
  const { database, migrated } = await openMigrated(config.database);
  const { workspaces, tokens, folders, media, imports, presigned } = database;
  const ports: Ports = {
    clock: systemClock,
    ids: systemIds,
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
    covers: createCoverMaker({ ffmpegPath: ffmpeg?.path ?? null }),
    signer: rememberVerified(signer, systemClock),
  };
  const close = async (): Promise<void> => {
    store.close();
    await database.close();
  };
  return { ports, store, database, migrated, ffmpeg, close };
}

async function openDatabase(config: DatabaseConfig): Promise<Database> {
  if (config.kind === 'sqlite') return openSqlite(config.file);
  // Loaded where it is used: a service that keeps a file needs no client of a server.
  const { openPostgres } = await import('@postshelf/database/postgres');
  const { url, poolSize, statementTimeout } = config;
  return openPostgres(url, { poolSize, statementTimeoutMs: statementTimeout });
}

async function openMigrated(config: DatabaseConfig): Promise<Pick<Composition, 'database' | 'migrated'>> {
  const database = await openDatabase(config).catch(explain('DATABASE_URL'));
  const migrated = await database.migrate().catch(async (error: unknown) => {
    await database.close();
    return explain('DATABASE_URL')(error);
  });
  return { database, migrated };
}

/** A database that can't be used is for the operator to put right, where it was named. */
const explain =
  (name: string) =>
  (error: unknown): never => {
    throw error instanceof UnusableDatabase ? new ConfigError(`${name}: ${error.message}`, { cause: error }) : error;
  };

/** A database that is there; opening a file would make it. */
async function openExisting(name: string, config: DatabaseConfig): Promise<Database> {
  if (config.kind === 'sqlite' && !(await Bun.file(config.file).exists())) {
    throw new ConfigError(`${name}: there is no database ${config.file}`);
  }
  return openDatabase(config).catch(explain(name));
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
  const target = await openDatabase(to).catch(async (error: unknown) => {
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
  const storage = await openFileStorage(root);
  const urlOf = (id: string): string => `${config.publicUrl}/uploads/${id}`;
  const uploads = await openFileUploads(root, { secret, urlOf, clock });
  const mediaBase = `${config.publicUrl}/files`;
  return { storage, uploads, signedUploads: uploads, mediaBase, redirectTo: null, close: () => undefined };
}

async function openBucket(config: Config, s3: S3Config): Promise<MediaStore> {
  // Loaded where it is used: a service that keeps files shouldn't carry the SDK.
  const { openS3 } = await import('@postshelf/storage/s3');
  const { endpoint, region, bucket, credentials, forcePathStyle, publicUrl } = s3;
  const opened = await openS3({
    region,
    bucket,
    forcePathStyle,
    ...(endpoint !== null && { endpoint }),
    ...(credentials !== null && { credentials }),
  });
  const { storage, uploads, links } = opened;
  const redirect = (fullName: string, method: 'GET' | 'HEAD') =>
    links.linkTo(fullName, { method, expiresIn: REDIRECT_LIFE });
  return {
    storage,
    uploads,
    signedUploads: null,
    mediaBase: publicUrl ?? `${config.publicUrl}/files`,
    redirectTo: s3.redirect ? redirect : null,
    close: () => opened.close(),
  };
}
