import { mkdir, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type Config, ConfigError } from '../../config/config.ts';

/**
 * Makes `DATA_DIR` unless it is there.
 *
 * @throws ConfigError
 */
export async function makeDataDir(config: Config): Promise<void> {
  await makeFolder(config.dataDir).catch((cause: unknown) => {
    throw new ConfigError(
      `DATA_DIR: ${config.dataDir} cannot be made (${cause instanceof Error ? cause.message : cause})`,
    );
  });
}

/** Makes a folder, for its owner alone, and its missing parents, so that all of them survive a power cut. */
async function makeFolder(path: string): Promise<void> {
  const last = resolve(path);
  const first = await mkdir(last, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = last; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
}

/** Makes the names in a folder survive a power cut (fsync(2): syncing a file doesn't sync its name). */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
