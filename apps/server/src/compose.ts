import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Ports, rememberVerified } from '@postshelf/application';
import { type Database, openSqlite } from '@postshelf/database';
import { createCoverMaker, createMediaInspector, createRemoteFiles, findFfmpeg } from '@postshelf/media';
import { openFileStorage } from '@postshelf/storage';
import { bufferDebt, MAX_DEBT } from './buffer-debt.ts';
import { type Config, ConfigError } from './config.ts';
import { createJwtSigner } from './http/jwt-signer.ts';
import { loadJwtSecret } from './jwt-secret.ts';
import { systemClock, systemIds } from './system.ts';

/** The program's parts, put together; whoever composes closes. */
export interface Composition {
  readonly ports: Ports;
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
  const storage = await openFileStorage(join(config.dataDir, 'media'));
  const signer = createJwtSigner(config.jwtSecret ?? (await loadJwtSecret(config.dataDir)));
  const ffmpeg = await findFfmpeg(config.ffmpegPath ?? undefined);
  const database = await openSqlite(config.databaseFile);
  const migrated = await database.migrate().catch(async (error: unknown) => {
    await database.close();
    throw error;
  });
  const { workspaces, tokens, folders, media, imports } = database;
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
    storage,
    inspector: createMediaInspector(),
    covers: createCoverMaker({ ffmpegPath: ffmpeg?.path ?? null }),
    signer: rememberVerified(signer, systemClock),
  };
  return { ports, database, migrated, ffmpeg, close: () => database.close() };
}
