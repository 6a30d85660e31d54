import { restoreSqlite } from '@postshelf/database';
import { type Config, ConfigError } from '../config/config.ts';
import { makeDataDir } from './host/data-dir.ts';
import { systemClock, systemIds } from './host/system.ts';
import { locateStorage } from './storage/locate.ts';

const PG_TOOLS =
  'DATABASE_URL: restore PostgreSQL with its own tools (pg_restore), and the media with the tools of their storage.';

/** Counts the bytes of objects, and hashes them. */
export { digest } from '@postshelf/storage';

/** Loads the tools that read and write backups, which most commands don't need. */
export const loadBackupTools = () => import('@postshelf/storage/backup');

export async function composeRestore(config: Config) {
  const { database } = config;
  if (database.kind !== 'sqlite') throw new ConfigError(PG_TOOLS);
  const media = await locateStorage(config);
  const restored = restoreSqlite(database.file);
  return {
    clock: systemClock,
    ids: systemIds,
    locations: { database: `sqlite:${database.file}`, storage: media.place },
    marker: media.marker,
    storageBefore: media.storage,
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
