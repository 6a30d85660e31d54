import {
  BackupError,
  type BackupMember,
  type BackupReader,
  type DatabaseRestore,
  type Digest,
  type Digester,
  isObjectKey,
  isRestored,
  type Library,
  type ObjectStorage,
  type ReceivedDatabase,
  type StorageMark,
  type Trash,
  type Uuid,
} from '@postshelf/domain';
import { firstKeys, sampleStorage } from '../library/ownership.ts';
import { chunksOf } from '../objects/read-stored.ts';
import type { Ports } from '../ports.ts';
import type { Progress } from '../verify/object-problem.ts';
import { type BackupSummary, DATABASE, FORMAT, MAX_SMALL, MEDIA, SECRET, SUMMARY } from './layout.ts';

/** A backup to be read. */
export interface BackupSource {
  /** From its beginning. */
  read(): BackupReader;
  /** Whether it can be read more than once, unlike a pipe. */
  readonly isRepeatable: boolean;
}

export interface RestoreOptions {
  /** Stores the secret that signs tokens, if the backup has it. Called once everything was verified. */
  readonly keepSecret: (secret: Uint8Array) => Promise<void>;
  /** Called for an object whose bytes differ from those once stored. It isn't restored. */
  readonly onDamaged: (key: string) => void;
  /** Called for an existing object with other bytes, which was moved to the trash. */
  readonly onSetAside: (key: string) => void;
  readonly onProgress?: (progress: Progress) => void;
}

/** Where objects are put. */
export interface RestoreStorage {
  readonly storage: Pick<ObjectStorage, 'stage' | 'open'>;
  readonly trash: Pick<Trash, 'setAside'>;
}

type RestorePorts = Pick<Ports, 'marker' | 'locations' | 'clock' | 'ids'> & {
  /** The storage, before {@link prepare} changes it. */
  readonly look: Pick<ObjectStorage, 'open' | 'list'>;
  /** Creates what the storage lacks, once it is known that the backup may be restored into it. */
  readonly prepare: () => Promise<RestoreStorage>;
  readonly digest: Digester;
  readonly database: DatabaseRestore;
};

export interface RestoreReport {
  /** null when an earlier run had done everything but the final mark, and nothing of the backup was read. */
  readonly summary: BackupSummary | null;
  /** Objects that are in the storage now. */
  readonly restored: number;
  readonly damaged: number;
  /** Existing objects with other bytes under keys of the backup. */
  readonly setAside: number;
}

/**
 * Restores a backup, to an empty storage or to one with media of the same library. The storage is marked first, so that
 * no process starts on it; the database is put in place last, once everything was read and its hash verified; then the
 * mark says that the restore is complete. A restore that failed or was killed can be run again at any point. It removes
 * nothing that was there before.
 *
 * @throws BackupError when there is a database already, the storage holds another library's media, or the backup is cut
 * off, damaged, newer or none
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
    await ports.marker.write({ library: known?.id ?? null, generation, restoring: since });
    const read = await readAll({ ...ports, ...storage }, backup, options, known?.database ?? null);
    const { summary, database, setAside } = read;
    requireWhole(summary, database);
    const received = await ports.database.open();
    const { id } = await received.library.findOrCreate(ports.ids.next(), since);
    if (read.secret) await options.keepSecret(read.secret);
    await ports.marker.write({ library: id, generation, restoring: since });
    const next = await received.library.advanceGeneration(generation);
    await received.library.update({ restoredAt: since, storageMarkedAt: since });
    await ports.database.commit();
    await ports.marker.write({ library: id, generation: next, restoring: null });
    return { summary, restored: read.restored, damaged: read.damaged, setAside };
  } finally {
    await ports.database.discard();
  }
}

/** A database exists: either a restore put it there and was killed before the final mark, or it must not be touched. */
async function finish(
  { marker }: RestorePorts,
  library: Library | null,
  mark: StorageMark | null,
): Promise<RestoreReport> {
  if (library === null || mark === null || !isRestored(library, mark))
    throw new BackupError(
      'There is a database already, and a restore overwrites none: move it away, or give an empty DATA_DIR.',
    );
  const generation = Math.max(library.generation, mark.generation);
  await marker.write({ library: library.id, generation, restoring: null });
  return { summary: null, restored: 0, damaged: 0, setAside: 0 };
}

interface Known {
  readonly id: Uuid;
  /** Digest of the backup's database, which was received. */
  readonly database: Digest;
}

/**
 * Before anything is written to a storage that isn't empty, checks that the backup's database belongs to the same library:
 * by its id, or, if one of the two has none yet, by its rows.
 *
 * @returns null when the storage is empty, or was until a restore was started
 */
async function inspectBeforeRestore(
  ports: RestorePorts,
  backup: BackupSource,
  mark: StorageMark | null,
): Promise<Known | null> {
  const isEmpty = mark === null ? (await firstKeys(ports.look, 1)).length === 0 : mark.library === null;
  if (isEmpty) return null;
  if (!backup.isRepeatable) {
    throw new BackupError(
      `There are media in ${ports.locations.storage} already, so the backup is looked through first: give it as a file, not as a pipe.`,
    );
  }
  let [database, summary]: [Digest | null, BackupSummary | null] = [null, null];
  for await (const member of backup.read()) {
    if (member.name === DATABASE) database = await receive(ports, member, database);
    else if (member.name === SUMMARY) summary = readSummary(await small(member));
    else await drain(member.body);
  }
  requireWhole(summary, database);
  const received = await ports.database.open();
  return { id: await requireSame(ports, received, mark), database };
}

/**
 * The library's id. A backup older than library ids gets the id of the media, or a new one.
 *
 * @throws BackupError where the media are another library's
 */
async function requireSame(ports: RestorePorts, received: ReceivedDatabase, mark: StorageMark | null): Promise<Uuid> {
  const id = (await received.library.find())?.id ?? null;
  const marked = mark?.library ?? null;
  const { storage } = ports.locations;
  if (id !== null && marked !== null && id !== marked) {
    throw new BackupError(
      `The media in ${storage} are of library ${marked}, and the backup is of library ${id}: nothing was restored. If they are the backup's media all the same, adopted by a new database since, move the mark .library out of the storage and try again: the media are then compared with the backup's rows.`,
    );
  }
  if (id === null || marked === null) {
    const { objects, known } = await sampleStorage({ media: received.media, storage: ports.look });
    if (known * 2 < objects) {
      throw new BackupError(
        `The media in ${storage} are not those of the backup, which knows ${known} of ${objects} objects there: nothing was restored.`,
      );
    }
  }
  const library = await received.library.findOrCreate(id ?? marked ?? ports.ids.next(), ports.clock.now());
  return library.id;
}

function requireWhole(summary: BackupSummary | null, database: Digest | null): asserts database is Digest {
  if (summary === null) throw new BackupError('The backup is cut off, or none: its last file is missing.');
  if (database?.sha256 !== summary.database.sha256) throw new BackupError('The database in the backup is damaged.');
}

async function receive(ports: RestorePorts, member: BackupMember, before: Digest | null): Promise<Digest> {
  if (before !== null) throw new BackupError('The backup holds two databases.');
  return ports.database.receive(member.body);
}

/** @param known the database, if it was received already: it is skipped then */
async function readAll(
  ports: RestorePorts & RestoreStorage,
  backup: BackupSource,
  options: RestoreOptions,
  known: Digest | null,
) {
  const { onDamaged, onSetAside, onProgress } = options;
  let database: Digest | null = null;
  let secret: Uint8Array | null = null;
  let summary: BackupSummary | null = null;
  const count = { restored: 0, damaged: 0, setAside: 0 };
  let bytes = 0;
  for await (const member of backup.read()) {
    if (member.name.startsWith(MEDIA)) {
      const key = member.name.slice(MEDIA.length);
      const outcome = await restoreObject(ports, key, member);
      if (outcome === 'damaged') {
        count.damaged += 1;
        onDamaged(key);
      } else count.restored += 1;
      if (outcome === 'set_aside') {
        count.setAside += 1;
        onSetAside(key);
      }
      bytes += member.size;
      onProgress?.({ objects: count.restored + count.damaged, bytes });
    } else if (member.name === DATABASE) {
      database = known ? await ports.digest(member.body) : await receive(ports, member, database);
    } else if (member.name === SECRET) secret = await small(member);
    else if (member.name === SUMMARY) summary = readSummary(await small(member));
    else await drain(member.body);
  }
  return { database, secret, summary, ...count };
}

/**
 * `damaged`: the bytes differ from those once stored, and aren't published. `set_aside`: an object with other bytes was
 * moved to the trash.
 */
async function restoreObject(
  { storage, trash, clock, digest }: RestorePorts & RestoreStorage,
  key: string,
  member: BackupMember,
): Promise<'restored' | 'damaged' | 'set_aside'> {
  if (!isObjectKey(key)) throw new BackupError(`The backup holds no media item's ${key}.`);
  const staged = await storage.stage(member.body, { limit: member.size });
  try {
    if (staged.sha256 === null || staged.sha256 !== member.sha256) return 'damaged';
    const there = await storage.open(key);
    if (there !== null && (await digest(chunksOf(there))).sha256 === staged.sha256) return 'restored';
    const wasThere = there !== null && (await trash.setAside(key, clock.now()));
    await staged.publish(key);
    return wasThere ? 'set_aside' : 'restored';
  } finally {
    await staged.discard();
  }
}

async function drain(body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of body);
}

async function small({ name, size, body }: BackupMember): Promise<Uint8Array> {
  if (size > MAX_SMALL) throw new BackupError(`The file ${name} in the backup is too long.`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return new Uint8Array(await new Blob(chunks.map((chunk) => chunk.slice())).arrayBuffer());
}

function readSummary(bytes: Uint8Array): BackupSummary {
  const summary = parse(new TextDecoder().decode(bytes));
  if (typeof summary?.format !== 'number' || typeof summary.database?.sha256 !== 'string')
    throw new BackupError(`The file ${SUMMARY} in the backup is damaged.`);
  if (summary.format > FORMAT) throw new BackupError('The backup was made by a newer Postshelf: restore it with that.');
  return summary;
}

function parse(json: string): BackupSummary | null {
  try {
    return JSON.parse(json);
  } catch {
    // Reported as damage, like every other value that is no summary.
    return null;
  }
}
