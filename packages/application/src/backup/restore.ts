import { BackupError, isRestored, type Library, type StorageMark } from '@postshelf/domain';
import { type BackupSummary, SECRET } from './contents.ts';
import { inspectBeforeRestore } from './inspect-backup.ts';
import { type BackupSource, type RestoreOptions, type RestorePorts, readAll, requireIntact } from './read-backup.ts';

export interface RestoreReport {
  readonly summary: BackupSummary | null;
  readonly restored: number;
  readonly damaged: number;
  readonly trashed: number;
}

/**
 * Restores a backup, to an empty storage or to one with media of the same library. The storage is marked first, so that
 * no process starts on it; the database is put in place last, once every hash is verified. A restore that was
 * interrupted at any point can be run again. It removes nothing that existed before.
 *
 * @throws BackupError if a database exists, another restore overtakes it, the storage holds another library's media, or
 *   the backup is truncated, damaged, newer or not a backup
 */
export async function restore(
  ports: RestorePorts,
  backup: BackupSource,
  options: RestoreOptions,
): Promise<RestoreReport> {
  const mark = await ports.marker.read();
  const existing = await ports.database.existing();
  if (existing !== null) return finish(ports, existing.library, mark);
  const since = ports.clock.now();
  try {
    const known = await inspectBeforeRestore(ports, backup, mark);
    const generation = mark?.generation ?? 0;
    const storage = await ports.prepare();
    const restoring = { library: known?.id ?? null, generation, restoring: since };
    if (!(await (mark === null ? ports.marker.create(restoring) : ports.marker.swap(mark, restoring))))
      throw overtaken(ports);
    const read = await readAll({ ...ports, ...storage }, backup, options, known?.database ?? null);
    const { summary, database, trashed } = read;
    // If a database exists now, another process has created it. If that process was also restoring, it has discarded
    // the data that was received here.
    if ((await ports.database.existing()) !== null) throw overtaken(ports);
    requireIntact(summary, database);
    const received = await ports.database.open();
    const library = await received.library.findOrCreate(ports.ids.next(), since);
    const isSecretDamaged = read.secret !== null && !isSecretOf(library, read.secret, options);
    if (isSecretDamaged) options.onDamaged(SECRET);
    else if (read.secret !== null) await options.keepSecret(read.secret);
    // The new fence makes every other database of the library read-only.
    const fence = ports.ids.next();
    const own = { library: library.id, generation, fence };
    // If several restores run concurrently, only the first that gets here continues.
    const found = await ports.marker.read();
    const isFirst = found !== null && found.restoring !== null && found.fence === undefined;
    if (!isFirst || !(await ports.marker.swap(found, { ...own, restoring: since }))) throw overtaken(ports);
    await received.fence.set({ current: fence, previous: null, movedTo: null });
    await received.library.update({ restoredAt: since, storageMarkedAt: since });
    await ports.database.commit();
    await ports.marker.write({ ...own, restoring: null });
    return { summary, restored: read.restored, damaged: read.damaged + (isSecretDamaged ? 1 : 0), trashed };
  } finally {
    await ports.database.discard();
  }
}

const overtaken = ({ locations }: RestorePorts): BackupError =>
  new BackupError(
    `The database ${locations.database}, or the mark in ${locations.storage}, was created or changed during the restore, by another restore or by a start of the service.`,
  );

/** Whether the secret belongs to the library; true if the library has never used a secret. */
const isSecretOf = (
  { id, secretFingerprint }: Library,
  secret: Uint8Array,
  { fingerprintOf }: Pick<RestoreOptions, 'fingerprintOf'>,
): boolean => secretFingerprint === null || fingerprintOf(secret, id) === secretFingerprint;

/**
 * Handles an existing database. If it comes from a restore that was killed before it wrote the final mark, writes the
 * mark. Any other database must not be touched.
 *
 * @throws BackupError if the database wasn't restored
 */
async function finish(
  { marker, locations }: RestorePorts,
  library: Library | null,
  mark: StorageMark | null,
): Promise<RestoreReport> {
  if (library === null || mark === null || !isRestored(library, mark))
    throw new BackupError(
      `There is already a database, ${locations.database}, and a restore never overwrites one. Stop the service, then move all of DATA_DIR away to start from the backup, or only the database with its -wal and -shm files to keep the media.`,
    );
  await marker.write({ ...mark, library: library.id, restoring: null });
  return { summary: null, restored: 0, damaged: 0, trashed: 0 };
}
