import { existsSync } from 'node:fs';
import { readlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ensureRoot } from '@postshelf/storage';
import { type Config, ConfigError } from '../../config/config.ts';

/**
 * Creates `DATA_DIR` durably if it is missing.
 *
 * @throws ConfigError if the folder can't be created, or if the media of a library are directly in this folder
 */
export async function makeDataDir({ dataDir }: Config): Promise<void> {
  if (existsSync(join(dataDir, '.library')))
    throw new ConfigError(`DATA_DIR: ${dataDir} holds the media of a library; set the folder above it`);
  await ensureRoot(resolve(dataDir)).catch(async (cause: unknown) => {
    const target = existsSync(dataDir) ? null : await readlink(dataDir).catch(() => null);
    if (target !== null)
      throw new ConfigError(
        `DATA_DIR: ${dataDir} is a link to ${target}, which does not exist; check that its disk is mounted`,
      );
    throw new ConfigError(`DATA_DIR: ${dataDir} cannot be created (${cause instanceof Error ? cause.message : cause})`);
  });
}
