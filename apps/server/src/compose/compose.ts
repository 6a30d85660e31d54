import { randomUUID } from 'node:crypto';
import {
  checkOwnership,
  establishOwnership,
  type Ownership,
  type Resources,
  requireFreshStorage,
} from '@postshelf/application';
import { type Database, isLibraryAt } from '@postshelf/database';
import { Refusal } from '@postshelf/domain';
import { type Config, ConfigError } from '../config/config.ts';
import {
  closingOnFailure,
  NO_LIBRARY,
  type OpenedDatabase,
  openCurrent,
  openingDatabase,
  requireDatabase,
  withSettingName,
} from './database.ts';
import { makeDataDir } from './host/data-dir.ts';
import { knownJwtSecret } from './host/secret-file.ts';
import { systemClock, systemIds } from './host/system.ts';
import { claimSecret, findSecretProblem, isSecretOf } from './library-secret.ts';
import { type FindFfmpeg, makePorts } from './ports.ts';
import { locateStorage } from './storage/locate.ts';
import type { MediaStorage, MediaStore, UnopenedStorage } from './storage/media-store.ts';

export interface Composition extends OpenedDatabase {
  readonly ports: Resources;
  readonly store: MediaStore;
  /** null if the storage was unreachable, or ownership wasn't checked. */
  readonly ownership: Ownership | null;
  readonly ffmpeg: FindFfmpeg;
  /** A folder for temporary files. */
  readonly folder: string;
  /** Checks the secret again. Returns a sentence about a problem that arose after the start; null if there is none. */
  findSecretProblem(): Promise<string | null>;
  /** Whether the program uses the library's secret. A program that issues no tokens or signed URLs may use another. */
  hasLibrarySecret(): Promise<boolean>;
  close(): Promise<void>;
}

/** A program's use of the secret that signs tokens and URLs. */
export interface SecretUse {
  /** Whether the program issues tokens. The secret then has to be the library's, and is created if there is none. */
  readonly signs: boolean;
  /** Whether a library may be created in a database that has tables of another program. Default false. */
  readonly mayShareDatabase?: boolean;
}

/**
 * Creates all adapters, and migrates the database. Code outside this folder never creates adapters. A missing database
 * or storage is created only after checking that the two belong to one library (docs/decisions/15-ownership.md).
 *
 * @throws ConfigError; OwnershipRefused; the error of an adapter that can't be opened
 */
export async function compose(config: Config, use: SecretUse = { signs: true }): Promise<Composition> {
  const media = await locateStorage(config);
  try {
    return await closingOnFailure(openForStart(config, media, use.mayShareDatabase), async (opened) => {
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
 * Does the same as {@link compose} for a library that must exist and have all migrations.
 *
 * @throws ConfigError if there is no such library, or it lacks migrations
 */
export async function composeExisting(config: Config, use: SecretUse = { signs: false }): Promise<Composition> {
  await requireDatabase(NO_LIBRARY, config.database);
  return closingOnFailure(openCurrent(config), async (opened) => {
    const media = await locateStorage(config);
    try {
      if (!(await media.isThere())) throw new ConfigError(`${NO_LIBRARY}: there is no folder ${media.place}`);
      return await assemble(config, { ...opened, store: await media.open(), ownership: null }, use);
    } catch (error) {
      media.close();
      throw error;
    }
  });
}

/** Opens the database and migrates its schema. Refuses to create a database if the storage already has media. */
async function openForStart(config: Config, media: UnopenedStorage, mayShare = false): Promise<OpenedDatabase> {
  const requireFresh = (database: string) =>
    whileInReach(media, async () =>
      requireFreshStorage({ ...media, locations: { database, storage: media.place } }, await media.hasOthers()),
    );
  if (config.database.kind === 'sqlite') {
    const { file } = config.database;
    if (!(await isLibraryAt(file).catch(withSettingName()))) {
      await requireFresh(`sqlite:${file}`);
      await makeDataDir(config);
    }
  }
  return openingDatabase(config.database, config.minFreeDisk, async (database) => {
    const isServer = config.database.kind === 'postgres';
    if (isServer && (await database.migrations()).isNew) await requireFresh(database.rows.place);
    return { database, migrated: await database.migrate(mayShare) };
  });
}

export const ownershipPorts = <Storage>(
  { library, fence, media, rows }: Database,
  { storage, marker, place }: Pick<UnopenedStorage, 'marker' | 'place'> & { readonly storage: Storage },
) => ({
  clock: systemClock,
  ids: systemIds,
  library,
  fence,
  media,
  storage,
  marker,
  locations: { database: rows.place, storage: place },
});

/**
 * Runs a check that needs the storage; returns null if the storage is unreachable. Skipping the check is safe, because
 * every garbage collection checks that the storage belongs to the library before it deletes objects.
 */
async function whileInReach<T>(media: UnopenedStorage, work: () => Promise<T>): Promise<T | null> {
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
  // A command that issues nothing signed can use any secret.
  const secret = signs
    ? await claimSecret(config, database.library)
    : (config.jwtSecret ?? (await knownJwtSecret(config.dataDir)) ?? randomUUID());
  const store = await opened.store.withSecret(secret);
  const { ports, ffmpeg } = await makePorts(config, database, store, secret);
  const close = async (): Promise<void> => {
    store.close();
    await database.close();
  };
  const secretProblem = async () => (signs ? findSecretProblem(config, database.library, secret) : null);
  return {
    ports,
    store,
    database,
    migrated,
    ownership,
    ffmpeg,
    folder: config.dataDir,
    findSecretProblem: secretProblem,
    hasLibrarySecret: () => isSecretOf(database.library, secret),
    close,
  };
}
