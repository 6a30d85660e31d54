import {
  BackupError,
  type BackupMember,
  type BackupReader,
  type DatabaseRestore,
  type Digest,
  type Digester,
  isObjectKey,
} from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import { type BackupSummary, DATABASE, FORMAT, MAX_SMALL, MEDIA, SECRET, SUMMARY } from './layout.ts';
import { chunksOf, type Progress } from './object-problem.ts';

export interface RestoreOptions {
  /** Keeps what signs tokens, where the backup has it. Called once all is checked. */
  readonly keepSecret: (secret: Uint8Array) => Promise<void>;
  /** An object whose bytes aren't what they were when they were stored. It is left out. */
  readonly onDamaged: (key: string) => void;
  readonly onProgress?: (progress: Progress) => void;
}

type Needs = Pick<Ports, 'storage'> & { readonly digest: Digester; readonly database: DatabaseRestore };

export interface RestoreReport {
  readonly summary: BackupSummary;
  /** Objects that are in the storage now. */
  readonly restored: number;
  readonly damaged: number;
}

/**
 * Restores a backup to an empty place. The database comes last, when everything was read and its own hash was right: a
 * restore that fails or is killed leaves none, and can be begun anew. Objects that are there already, as they should
 * be, stay.
 *
 * @throws BackupError when there is a database already, or the backup is cut off, damaged, newer or none
 */
export async function restore(ports: Needs, backup: BackupReader, options: RestoreOptions): Promise<RestoreReport> {
  if (await ports.database.isTaken()) {
    throw new BackupError('There is a database already, and a restore overwrites none: give it an empty DATA_DIR.');
  }
  try {
    const read = await readAll(ports, backup, options);
    const { summary, database } = read;
    if (summary === null) throw new BackupError('The backup is cut off, or none: its last file is missing.');
    if (database?.sha256 !== summary.database.sha256) throw new BackupError('The database in the backup is damaged.');
    if (read.secret) await options.keepSecret(read.secret);
    await ports.database.commit();
    return { summary, restored: read.restored, damaged: read.damaged };
  } finally {
    await ports.database.discard();
  }
}

async function readAll(ports: Needs, backup: BackupReader, { onDamaged, onProgress }: RestoreOptions) {
  let database: Digest | null = null;
  let secret: Uint8Array | null = null;
  let summary: BackupSummary | null = null;
  let [restored, damaged, bytes] = [0, 0, 0];
  for await (const member of backup) {
    if (member.name.startsWith(MEDIA)) {
      const key = member.name.slice(MEDIA.length);
      if (await restoreObject(ports, key, member)) restored += 1;
      else {
        damaged += 1;
        onDamaged(key);
      }
      bytes += member.size;
      onProgress?.({ objects: restored + damaged, bytes });
    } else if (member.name === DATABASE) database = await ports.database.receive(member.body);
    else if (member.name === SECRET) secret = await small(member);
    else if (member.name === SUMMARY) summary = readSummary(await small(member));
    else await ports.digest(member.body);
  }
  return { database, secret, summary, restored, damaged };
}

/** False when the bytes aren't those that were stored once; nothing is published then. */
async function restoreObject({ storage, digest }: Needs, key: string, member: BackupMember): Promise<boolean> {
  if (!isObjectKey(key)) throw new BackupError(`The backup holds no media item's ${key}.`);
  const staged = await storage.stage(member.body, { limit: member.size });
  try {
    if (staged.sha256 === null || staged.sha256 !== member.sha256) return false;
    const there = await storage.open(key);
    if (there !== null) {
      if ((await digest(chunksOf(there))).sha256 === staged.sha256) return true;
      await storage.remove(key);
    }
    await staged.publish(key);
    return true;
  } finally {
    await staged.discard();
  }
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
    // Told as damage, like every other value that is no summary.
    return null;
  }
}
