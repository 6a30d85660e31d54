import {
  type CopyObjectsOptions,
  type CopyObjectsReport,
  copyObjects,
  markSource,
  markTarget,
} from '@postshelf/application';
import { type CopyProgress, type CopyReport, copyDatabase } from '@postshelf/database';
import { Refusal, UnreadableMark } from '@postshelf/domain';
import { digest, fileMarker, readFileStorage } from '@postshelf/storage';
import { type Config, ConfigError, type DatabaseConfig } from '../config/config.ts';
import { ownershipPorts } from './compose.ts';
import { NO_LIBRARY, noDatabase, openConfigured, openExisting, requireDatabase, withSettingName } from './database.ts';
import { openBucket } from './storage/s3.ts';

export interface DatabaseMove {
  readonly from: string;
  readonly to: string;
  /** Copies the database. @throws ConfigError if the source can't be copied to the target */
  copy(onProgress: (progress: CopyProgress) => void): Promise<CopyReport>;
  close(): Promise<void>;
}

/** Opens both databases. Creates the target if it is missing. @throws ConfigError if one of them can't be opened */
export async function composeDatabaseMove(from: DatabaseConfig, to: DatabaseConfig): Promise<DatabaseMove> {
  const source = await openExisting('--from', from);
  const target = await openConfigured(to).catch(async (error: unknown) => {
    await source.close();
    return withSettingName('--to')(error);
  });
  return {
    from: source.rows.place,
    to: target.rows.place,
    copy: (onProgress) => copyDatabase(source, target, onProgress).catch(withSettingName('copy')),
    close: async () => {
      await Promise.all([source.close(), target.close()]);
    },
  };
}

/**
 * The result of a copy. The folder is marked as moved once everything is in the bucket and no service uses the library.
 */
interface ObjectMoveReport extends CopyObjectsReport {
  readonly isMoved: boolean;
}

/** Copies objects from a folder to the configured bucket, for the rows in the configured database. */
export interface ObjectMove {
  copy(options: CopyObjectsOptions): Promise<ObjectMoveReport>;
  close(): Promise<void>;
}

/**
 * Opens the folder and the bucket.
 *
 * @throws ConfigError if no bucket is set, or the folder or the database doesn't exist
 */
export async function composeObjectMove(config: Config, directory: string): Promise<ObjectMove> {
  if (config.s3 === null) throw new ConfigError('S3_BUCKET: is missing; --to-s3 uses the S3_ settings');
  const source = await readFileStorage(directory).catch((error: unknown) => {
    throw new ConfigError(`--from-files: ${error instanceof Error ? error.message : error}`);
  });
  await requireDatabase(NO_LIBRARY, config.database);
  const database = await openExisting('DATABASE_URL', config.database);
  try {
    if ((await database.migrations()).isNew) throw new ConfigError(`${NO_LIBRARY}: ${noDatabase(database.rows.place)}`);
    await database.migrate().catch(withSettingName('DATABASE_URL'));
    const bucket = await openBucket(config, config.s3);
    const { storage, place } = bucket;
    const isPublic = config.s3.publicUrl !== null;
    const ports = ownershipPorts(database, bucket);
    const marked = await markTarget(ports).catch((error: unknown) => {
      bucket.close();
      throw error;
    });
    return {
      async copy(options) {
        const report = await copyObjects({ media: database.media, source, target: storage, digest, isPublic }, options);
        const isMoved =
          report.problems === 0 &&
          (await markSource(ports, marked, fileMarker(directory), place).catch(falseIfUnmarkable));
        return { ...report, isMoved };
      },
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

/**
 * Handles the error of marking the folder as moved. If the folder can't be marked, for example because it is a
 * read-only snapshot, returns false: its objects have been copied anyway.
 *
 * @throws any other error
 */
function falseIfUnmarkable(error: unknown): false {
  if (error instanceof Refusal || error instanceof UnreadableMark || isForbidden(error)) return false;
  throw error;
}

const isForbidden = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['EROFS', 'EACCES', 'EPERM'].includes(String(error.code));
