import { type AdoptionPlan, adoptStorage, planAdoption } from '@postshelf/application';
import type { Database } from '@postshelf/database';
import type { Library, LibraryLocations } from '@postshelf/domain';
import type { Config } from '../config/config.ts';
import { type OpenedDatabase, openCurrent, openMigrated, placeOfNew } from './database.ts';
import { makeDataDir } from './host/data-dir.ts';
import { systemClock, systemIds } from './host/system.ts';
import { locateStorage } from './storage/locate.ts';

export interface Adoption {
  readonly locations: LibraryLocations;
  plan(): Promise<AdoptionPlan>;
  apply(): Promise<Library>;
  close(): Promise<void>;
}

/** Composes the parts that `storage adopt` needs. @throws ConfigError if the database lacks migrations */
export async function composeAdoption(config: Config): Promise<Adoption> {
  const media = await locateStorage(config);
  const { place, storage, marker } = media;
  const opened: Database[] = [];
  const open = async (opening: Promise<OpenedDatabase>): Promise<Database> => {
    const { database } = await opening;
    opened.push(database);
    return database;
  };
  const there = await placeOfNew(config.database);
  const database = there === null ? await open(openCurrent(config)) : null;
  return {
    locations: { database: there ?? database?.rows.place ?? '', storage: place },
    plan: () => planAdoption({ marker, storage, database }),
    async apply() {
      await makeDataDir(config);
      const { library, fence } = database ?? (await open(openMigrated(config)));
      await media.open();
      return adoptStorage({ library, fence, marker, clock: systemClock, ids: systemIds });
    },
    async close() {
      media.close();
      await Promise.all(opened.map((each) => each.close()));
    },
  };
}
