import { constants } from 'node:fs';
import { access, copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, ConfigError } from '../config/config.ts';
import { type Composition, composeExisting, type SecretUse } from './compose.ts';

/**
 * Does the same as {@link composeExisting} for a command that only reads, and also works on a read-only disk. There,
 * SQLite can't open a database with a write-ahead log, because it would have to write files next to the database. So
 * this function opens a copy in `TMPDIR`.
 *
 * @throws ConfigError
 */
export async function composeForReading(config: Config, use?: SecretUse): Promise<Composition> {
  const { database } = config;
  if (database.kind !== 'sqlite' || !(await isOnReadOnlyDisk(database.file))) return composeExisting(config, use);
  const folder = await mkdtemp(join(tmpdir(), 'postshelf-read-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const file = join(folder, 'postshelf.db');
    await copyAtRest(database.file, file);
    const composition = await composeExisting({ ...config, database: { kind: 'sqlite', file } }, use);
    return { ...composition, folder, close: () => composition.close().finally(remove) };
  } catch (error) {
    await remove();
    throw error;
  }
}

const isOnReadOnlyDisk = (file: string): Promise<boolean> =>
  access(file, constants.W_OK).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'EROFS',
  );

/**
 * Copies a database and its write-ahead log, which must not change in the meantime.
 *
 * @throws ConfigError if the files change during the copy, because another machine writes to the disk
 */
async function copyAtRest(from: string, to: string): Promise<void> {
  const state = () => Promise.all([`${from}`, `${from}-wal`].map(stateOf));
  const before = await state();
  await copyFile(from, to);
  if (before[1] !== null) await copyFile(`${from}-wal`, `${to}-wal`);
  if (JSON.stringify(await state()) !== JSON.stringify(before))
    throw new ConfigError(
      `${from} is on a read-only disk, but another process changes it: run the command where the service runs`,
    );
}

async function stateOf(path: string): Promise<readonly [size: number, changed: number] | null> {
  try {
    const { size, mtimeMs } = await stat(path);
    return [size, mtimeMs];
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
