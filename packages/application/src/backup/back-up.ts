import {
  type ActiveMedia,
  type BackupDestination,
  BackupError,
  type BackupOutcome,
  type BackupWriter,
  type DatabaseBackups,
  type DatabaseCopy,
  type Digester,
  Refusal,
} from '@postshelf/domain';
import { forEachConcurrently } from '../concurrency.ts';
import { chunksOf } from '../objects/read-stored.ts';
import type { Ports } from '../ports.ts';
import { allActive, countActive } from '../verify/all-active.ts';
import {
  compareObject,
  itemExists,
  missingObject,
  type ObjectProblem,
  openObject,
  type Progress,
  unreadableObject,
} from '../verify/object-problem.ts';
import { type BackupSummary, DATABASE, FORMAT, MEDIA, OBJECTS, objectLine, SECRET, SUMMARY } from './contents.ts';
import { type BackupConsent, findExistingBackup, refuseSmaller } from './existing-backups.ts';

export interface BackUpOptions {
  /**
   * Whether the backup contains the objects; otherwise it only lists them, and the operator has to save them
   * separately.
   */
  readonly withMedia: boolean;
  /** The secret; null unless the program generated it. */
  readonly secret: Uint8Array | null;
  readonly program: string;
  readonly consent: BackupConsent;
  readonly onProblem: (problem: ObjectProblem) => void;
  readonly onProgress?: (progress: Progress) => void;
}

type BackUpPorts = Pick<Ports, 'media' | 'storage' | 'clock'> & {
  readonly backups: DatabaseBackups;
  readonly digest: Digester;
};

export interface BackUpReport {
  readonly summary: BackupSummary;
  /** `incomplete` if an object is missing or differs from its row. */
  readonly outcome: BackupOutcome;
  readonly path: string | null;
}

/** Number of objects checked concurrently; most of the time is spent waiting for the store. */
const CONCURRENCY = 8;

/**
 * Makes a backup of everything committed before the call, while the service runs. Missing or damaged objects are
 * reported, and make the backup incomplete. An incomplete backup doesn't replace a complete one. If an incomplete
 * backup is streamed, its last file is omitted, so that the backup can't be restored by mistake.
 *
 * @throws BackupError if the backup can't be written, or if it would, without consent, replace a much larger backup or
 *   a file that isn't a backup; nothing is changed then
 */
export async function backUp(
  ports: BackUpPorts,
  place: BackupDestination,
  options: BackUpOptions,
): Promise<BackUpReport> {
  const { consent } = options;
  const madeAt = new Date(ports.clock.now()).toISOString();
  const previous = await findExistingBackup(place, 'whole', place.path, consent);
  const writer = await place.open();
  try {
    const copy = await copyDatabase(ports, place.copyPath);
    try {
      const { length: workspaces } = await copy.workspaces.list();
      const { withMedia } = options;
      refuseSmaller(previous, { objects: await countActive(copy.media), workspaces, withMedia }, consent);
      const problems = await (withMedia ? addMedia : checkMedia)(ports, copy, writer, options);
      const objects = { ...(await addList(copy, writer)), problems };
      const outcome = problems === 0 ? 'whole' : 'incomplete';
      const database = await writer.add({ name: DATABASE, sha256: null, ...(await copy.seal()) });
      if (options.secret) await addBytes(writer, SECRET, options.secret);
      const described = { format: FORMAT, program: options.program, made_at: madeAt, database };
      const summary: BackupSummary = { ...described, workspaces, objects, with_media: withMedia };
      if (outcome === 'whole' || place.path !== null) {
        await addBytes(writer, SUMMARY, new TextEncoder().encode(`${JSON.stringify(summary, null, 2)}\n`));
      }
      if (outcome === 'incomplete') {
        const saved = { objects: objects.count - problems, workspaces, withMedia };
        refuseSmaller(await findExistingBackup(place, outcome, null, consent), saved, consent);
      }
      return { summary, outcome, path: await writer.finish(outcome) };
    } finally {
      await copy.discard();
    }
  } finally {
    await writer.discard();
  }
}

async function copyDatabase({ backups }: BackUpPorts, path: string): Promise<DatabaseCopy> {
  return backups.copyTo(path).catch((cause: unknown) => {
    if (cause instanceof BackupError || cause instanceof Refusal) throw cause;
    const reason = cause instanceof Error ? cause.message : cause;
    throw new BackupError(`The database cannot be copied to ${path}: ${reason}`, { cause });
  });
}

/**
 * Adds all objects. Items that were deleted before their object was added are removed from the copy of the database.
 * Returns the number of problems.
 */
async function addMedia(ports: BackUpPorts, copy: DatabaseCopy, writer: BackupWriter, options: BackUpOptions) {
  const settle = resultHandler(ports, copy, options);
  for await (const item of allActive(copy.media)) await settle(item, await addObject(ports, item, writer));
  return settle.problems();
}

/** Checks that objects exist and have the right size, without reading them. */
async function checkMedia(ports: BackUpPorts, copy: DatabaseCopy, _: BackupWriter, options: BackUpOptions) {
  const settle = resultHandler(ports, copy, options);
  await forEachConcurrently(allActive(copy.media), CONCURRENCY, async (item) => {
    const object = await openObject(ports.storage, item);
    await settle(item, 'problem' in object ? object : compareObject(item, { size: object.size }));
  });
  return settle.problems();
}

/**
 * Returns a function that reports the problem of an object, or removes the item from the copy if it was deleted
 * meanwhile.
 */
function resultHandler(ports: BackUpPorts, copy: DatabaseCopy, { onProblem, onProgress }: BackUpOptions) {
  let [objects, bytes, problems] = [0, 0, 0];
  const settle = async (item: ActiveMedia, found: ObjectProblem | null): Promise<void> => {
    objects += 1;
    bytes += item.content.size;
    if (found?.problem === 'missing' && !(await itemExists(ports, item))) await copy.removeItem(item.id);
    else if (found !== null) {
      problems += 1;
      onProblem(found);
    }
    onProgress?.({ objects, bytes });
  };
  return Object.assign(settle, { problems: () => problems });
}

async function addObject({ storage, digest }: BackUpPorts, item: ActiveMedia, writer: BackupWriter) {
  const object = await openObject(storage, item);
  if ('problem' in object) return object;
  const { size } = object;
  const body = readFirstChunk(chunksOf(object));
  const first = await body.first.catch(async (error: unknown) => {
    // The error may mean that the object was removed after it was opened, before its first byte was read
    // (ObjectStorage.open).
    return (await storage.open(item.fullName)) === null ? missingObject(item) : unreadableObject(item, error);
  });
  if ('problem' in first) return first;
  // A damaged object is saved as well, with the hash that it should have.
  const sha256 = item.content.sha256 ?? (await digest(chunksOf(object))).sha256;
  return compareObject(
    item,
    await writer.add({ name: `${MEDIA}${item.fullName}`, size, sha256, body: body.whole(first) }),
  );
}

/** Reads the first chunk, to find out whether the object still exists. */
function readFirstChunk(body: AsyncIterable<Uint8Array>) {
  // Some bodies throw as soon as they are opened. The generator delays this until the first chunk is read.
  const iterator = (async function* () {
    yield* body;
  })();
  return {
    first: iterator.next(),
    async *whole(first: IteratorResult<Uint8Array>): AsyncGenerator<Uint8Array> {
      try {
        for (let next = first; !next.done; next = await iterator.next()) yield next.value;
      } finally {
        await iterator.return();
      }
    },
  };
}

/** Adds the list of objects. The items are read twice, because the list's length is written before the list. */
async function addList(
  copy: DatabaseCopy,
  writer: BackupWriter,
): Promise<Pick<BackupSummary['objects'], 'count' | 'bytes'>> {
  let [count, bytes, size] = [0, 0, 0];
  for await (const item of allActive(copy.media)) {
    count += 1;
    bytes += item.content.size;
    size += objectLine(item).length;
  }
  const lines = async function* (): AsyncGenerator<Uint8Array> {
    for await (const item of allActive(copy.media)) yield objectLine(item);
  };
  await writer.add({ name: OBJECTS, size, sha256: null, body: lines() });
  return { count, bytes };
}

async function addBytes(writer: BackupWriter, name: string, bytes: Uint8Array): Promise<void> {
  const body = async function* (): AsyncGenerator<Uint8Array> {
    yield bytes;
  };
  await writer.add({ name, size: bytes.length, sha256: null, body: body() });
}
