import { BackupError, type Digest, type ReceivedDatabase, type StorageMark, type Uuid } from '@postshelf/domain';
import { firstKeys, sampleStorage } from '../library/ownership.ts';
import { type BackupSummary, DATABASE, SUMMARY } from './contents.ts';
import {
  type BackupSource,
  drain,
  type RestorePorts,
  readSmall,
  readSummary,
  receive,
  requireIntact,
} from './read-backup.ts';

export interface KnownBackup {
  readonly id: Uuid;
  readonly database: Digest;
}

/**
 * Checks that the backup's database and a storage that isn't empty belong to the same library: compares their library
 * ids or, if either has none yet, the backup's rows with the objects.
 *
 * @returns null if the storage is empty, or was empty when an earlier restore started
 */
export async function inspectBeforeRestore(
  ports: RestorePorts,
  backup: BackupSource,
  mark: StorageMark | null,
): Promise<KnownBackup | null> {
  const isEmpty = mark === null ? (await firstKeys(ports.storageBefore, 1)).length === 0 : mark.library === null;
  if (isEmpty) return null;
  if (!backup.isRepeatable) {
    throw new BackupError(
      `There are already media in ${ports.locations.storage}, so the backup has to be checked first: pass it as a file, not through a pipe.`,
    );
  }
  let [database, summary]: [Digest | null, BackupSummary | null] = [null, null];
  for await (const member of backup.read()) {
    if (member.name === DATABASE) database = await receive(ports, member, database);
    else if (member.name === SUMMARY) summary = readSummary(await readSmall(member));
    else await drain(member.body);
  }
  requireIntact(summary, database);
  const received = await ports.database.open();
  return { id: await requireSame(ports, received, mark), database };
}

/**
 * Returns the library's id. A backup that was made before libraries had ids gets the id of the media, or a new one.
 *
 * @throws BackupError if the media belong to another library
 */
async function requireSame(ports: RestorePorts, received: ReceivedDatabase, mark: StorageMark | null): Promise<Uuid> {
  const id = (await received.library.find())?.id ?? null;
  const marked = mark?.library ?? null;
  const { storage } = ports.locations;
  if (id !== null && marked !== null && id !== marked) {
    throw new BackupError(
      `The media in ${storage} belong to library ${marked}, but the backup is of library ${id}: nothing was restored. If they are the backup's media, but a new database has adopted them since, move the mark .library out of the storage and try again: the media are then compared with the backup's rows.`,
    );
  }
  if (id === null || marked === null) {
    const { objects, known } = await sampleStorage({ media: received.media, storage: ports.storageBefore });
    if (known * 2 < objects) {
      throw new BackupError(
        `The media in ${storage} do not belong to the backup, which knows only ${known} of ${objects} objects there: nothing was restored.`,
      );
    }
  }
  const library = await received.library.findOrCreate(id ?? marked ?? ports.ids.next(), ports.clock.now());
  return library.id;
}
