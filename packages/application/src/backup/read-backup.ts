import {
  BackupError,
  type BackupMember,
  type BackupReader,
  type DatabaseRestore,
  type Digest,
  type Digester,
  isObjectKey,
  type ObjectStorage,
  type Trash,
  type Uuid,
} from '@postshelf/domain';
import { chunksOf } from '../objects/read-stored.ts';
import type { Ports, Settings } from '../ports.ts';
import type { Progress } from '../verify/object-problem.ts';
import { type BackupSummary, DATABASE, FORMAT, MAX_SMALL, MEDIA, SECRET, SUMMARY } from './contents.ts';

export interface BackupSource {
  read(): BackupReader;
  /** Whether the backup can be read again, which isn't possible with a pipe. */
  readonly isRepeatable: boolean;
}

export interface RestoreOptions {
  /** Called once everything is verified, if the backup contains a secret. */
  readonly keepSecret: (secret: Uint8Array) => Promise<void>;
  /** Returns the fingerprint that the library would store for the secret. */
  readonly fingerprintOf: (secret: Uint8Array, library: Uuid) => string;
  /** Called with the key of a damaged object, or with `jwt-secret` if the secret is damaged. Neither is restored. */
  readonly onDamaged: (key: string) => void;
  /** Called for an existing object that differs from the backup's and was moved to the trash. */
  readonly onTrashed: (key: string) => void;
  readonly onProgress?: (progress: Progress) => void;
}

/** The storage that objects are restored to. */
export interface RestoreStorage {
  readonly storage: Pick<ObjectStorage, 'stage' | 'open'>;
  readonly trash: Pick<Trash, 'add'>;
}

export type RestorePorts = Pick<Ports, 'marker' | 'clock' | 'ids'> &
  Pick<Settings, 'locations'> & {
    readonly storageBefore: Pick<ObjectStorage, 'open' | 'list'>;
    /** Called once it is known that the backup may be restored to this storage. */
    readonly prepare: () => Promise<RestoreStorage>;
    readonly digest: Digester;
    readonly database: DatabaseRestore;
  };

export function requireIntact(summary: BackupSummary | null, database: Digest | null): asserts database is Digest {
  if (summary === null) throw new BackupError("The backup is truncated, or isn't a backup: its last file is missing.");
  if (database?.sha256 !== summary.database.sha256) throw new BackupError('The database in the backup is damaged.');
}

export async function receive(ports: RestorePorts, member: BackupMember, before: Digest | null): Promise<Digest> {
  if (before !== null) throw new BackupError('The backup contains two databases.');
  return ports.database.receive(member.body);
}

/** Reads a backup to its end and restores its objects. @param known the database, if it was already received */
export async function readAll(
  ports: RestorePorts & RestoreStorage,
  backup: BackupSource,
  options: RestoreOptions,
  known: Digest | null,
) {
  const { onDamaged, onTrashed, onProgress } = options;
  let database: Digest | null = null;
  let secret: Uint8Array | null = null;
  let summary: BackupSummary | null = null;
  const count = { restored: 0, damaged: 0, trashed: 0 };
  let bytes = 0;
  for await (const member of backup.read()) {
    if (member.name.startsWith(MEDIA)) {
      const key = member.name.slice(MEDIA.length);
      const outcome = await restoreObject(ports, key, member);
      if (outcome === 'damaged') {
        count.damaged += 1;
        onDamaged(key);
      } else count.restored += 1;
      if (outcome === 'trashed') {
        count.trashed += 1;
        onTrashed(key);
      }
      bytes += member.size;
      onProgress?.({ objects: count.restored + count.damaged, bytes });
    } else if (member.name === DATABASE) {
      database = known ? await ports.digest(member.body) : await receive(ports, member, database);
    } else if (member.name === SECRET) secret = await readSmall(member);
    else if (member.name === SUMMARY) summary = readSummary(await readSmall(member));
    else await drain(member.body);
  }
  return { database, secret, summary, ...count };
}

/**
 * Restores an object. `damaged`: the bytes in the backup don't match their hash, so they aren't published. `trashed`:
 * the existing object differed from the backup's, and was moved to the trash.
 */
async function restoreObject(
  { storage, trash, clock, digest }: RestorePorts & RestoreStorage,
  key: string,
  member: BackupMember,
): Promise<'restored' | 'damaged' | 'trashed'> {
  if (!isObjectKey(key)) throw new BackupError(`The backup contains ${key}, which isn't the key of a media item.`);
  const staged = await storage.stage(member.body, { limit: member.size });
  try {
    if (staged.sha256 === null || staged.sha256 !== member.sha256) return 'damaged';
    const there = await storage.open(key);
    if (there !== null && (await digest(chunksOf(there))).sha256 === staged.sha256) return 'restored';
    const wasThere = there !== null && (await trash.add(key, clock.now()));
    await staged.publish(key);
    return wasThere ? 'trashed' : 'restored';
  } finally {
    await staged.discard();
  }
}

export async function drain(body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of body);
}

export async function readSmall({ name, size, body }: BackupMember): Promise<Uint8Array> {
  if (size > MAX_SMALL) throw new BackupError(`The file ${name} in the backup is too long.`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return new Uint8Array(await new Blob(chunks.map((chunk) => chunk.slice())).arrayBuffer());
}

export function readSummary(bytes: Uint8Array): BackupSummary {
  const summary = parse(new TextDecoder().decode(bytes));
  if (typeof summary?.format !== 'number' || typeof summary.database?.sha256 !== 'string')
    throw new BackupError(`The file ${SUMMARY} in the backup is damaged.`);
  if (summary.format > FORMAT)
    throw new BackupError('The backup was made by a newer Postshelf: restore it with that version.');
  return summary;
}

function parse(json: string): BackupSummary | null {
  try {
    return JSON.parse(json);
  } catch {
    // Text that isn't JSON is reported as damage, as is JSON that isn't a summary.
    return null;
  }
}
