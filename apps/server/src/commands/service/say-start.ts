import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Composition } from '../../compose/compose.ts';
import type { Config } from '../../config/config.ts';
import type { Logger } from '../../telemetry/log/log.ts';
import { describeSettings } from '../../telemetry/setting-report.ts';
import { build, versionText } from '../../telemetry/version.ts';

/** The program and its settings: what is known before anything is opened, which may fail. */
export function sayProgram(log: Logger): void {
  log.info({ ...build(), pid: process.pid }, `postshelf ${versionText()}`);
  const { differing, mistaken } = describeSettings();
  log.info({ settings: differing }, 'settings that differ from their defaults');
  for (const { name, nearest } of mistaken) {
    log.warn({ setting: name }, `${name} is no setting; did you mean ${nearest}?`);
  }
}

/** What a start may make in the data directory, by name. */
const makings = ({ dataDir, database, jwtSecret, s3 }: Config): ReadonlyMap<string, string> =>
  new Map([
    ['data directory', dataDir],
    ...(database.kind === 'sqlite' ? ([['database', database.file]] as const) : []),
    ...(jwtSecret === null ? ([['token secret', join(dataDir, 'jwt-secret')]] as const) : []),
    ...(s3 === null ? ([['media folder', join(dataDir, 'media')]] as const) : []),
  ]);

/**
 * Remembers what isn't there yet. To be called before the program is composed.
 *
 * @returns says which library this is, where it is kept, and what of that is new
 */
export function watchStart(config: Config): (log: Logger, composition: Composition) => Promise<void> {
  const absent = [...makings(config)].filter(([, path]) => !existsSync(path));
  return async (log, { ports, database, migrated }) => {
    const { kind } = config.database;
    const workspaces = await ports.workspaces.list();
    const library = await ports.library.find();
    const made = absent.filter(([, path]) => existsSync(path));
    log.info(
      {
        library: { id: library?.id ?? null, workspaces: workspaces.length },
        // Without the scheme: a line of the log has no names in addresses.
        database: { kind, place: database.rows.place.replace(/^postgres:\/\//, '') },
        storage: storageOf(config),
        made: Object.fromEntries(made),
        migrated,
      },
      `library ${library?.id ?? '(new)'}, workspaces: ${workspaces.length}`,
    );
  };
}

const storageOf = ({ s3, dataDir }: Config) =>
  s3 === null
    ? { kind: 'files', place: join(dataDir, 'media') }
    : { kind: 's3', place: s3.bucket, endpoint: s3.endpoint ?? `AWS, ${s3.region}` };
