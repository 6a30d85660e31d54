import { randomBytes } from 'node:crypto';
import { open, readFile, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { publishUnderName, syncFollowingLinks } from '@postshelf/storage';
import { ConfigError } from '../../config/config.ts';

export const loadJwtSecret = (dataDir: string): Promise<string> => load(pathIn(dataDir), 48);

export const knownJwtSecret = (dataDir: string): Promise<string | null> => readIfThere(pathIn(dataDir));

/** Stores the secret. Returns the stored secret, which another process may have stored first. */
export const keepJwtSecret = (dataDir: string, secret: string): Promise<string> => keep(pathIn(dataDir), secret);

/**
 * Returns the token for metrics if none is configured. It is created once, in `metrics-token` of the data directory.
 */
export const loadMetricsToken = (dataDir: string): Promise<string> => load(join(dataDir, 'metrics-token'), 24);

/** Removes the secret durably. Does nothing if there is no secret. */
export async function deleteJwtSecret(dataDir: string): Promise<void> {
  try {
    await unlink(pathIn(dataDir));
  } catch (error) {
    if (isCode(error, 'ENOENT')) return;
    throw error;
  }
  await syncFollowingLinks(dataDir);
}

const pathIn = (dataDir: string): string => join(dataDir, 'jwt-secret');

const load = async (path: string, bytes: number): Promise<string> =>
  (await readIfThere(path)) ?? (await keep(path, randomBytes(bytes).toString('base64url')));

/**
 * Stores a secret so that only the owner of the file can read it. The file is created atomically, so that processes
 * that start at the same time read the same secret.
 */
async function keep(path: string, secret: string): Promise<string> {
  const draft = `${path}.${process.pid}.${randomBytes(6).toString('hex')}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${secret}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await publishUnderName(draft, path);
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
  } finally {
    await unlink(draft);
  }
  // Tokens depend on the file, so its folder has to be synced, even if another process created the file: that process
  // may not have synced the folder yet.
  await syncFollowingLinks(dirname(path));
  const made = await readIfThere(path);
  if (made === null) throw new Error(`${path} was removed.`);
  return made;
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    const secret = (await readFile(path, 'utf8')).trim();
    if (secret.length < 32) {
      throw new ConfigError(
        `${path} contains no secret of at least 32 characters. Put the former one back, for instance from a backup, or remove the file.`,
      );
    }
    return secret;
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    // If a mounted file doesn't exist, a container engine creates a folder instead. The original message doesn't
    // contain the path.
    if (isCode(error, 'EISDIR'))
      throw new ConfigError(`${path} is a folder, where the secret's file should be`, { cause: error });
    throw error;
  }
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
