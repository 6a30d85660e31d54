import type { ActiveMedia, BackupWriter, DatabaseBackups, DatabaseCopy, Digester } from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import { allActive } from './all-active.ts';
import { type BackupSummary, DATABASE, FORMAT, MEDIA, OBJECTS, objectLine, SECRET, SUMMARY } from './layout.ts';
import { chunksOf, compare, isStillThere, missing, type ObjectProblem, type Progress } from './object-problem.ts';

export interface BackUpOptions {
  /** A path for the copy of the database, on the same disk as the backup. */
  readonly copyPath: string;
  /** Whether the objects go into the backup. Otherwise they are listed there, and the operator keeps them. */
  readonly withMedia: boolean;
  /** What signs tokens, where the program made it by itself. */
  readonly secret: Uint8Array | null;
  /** The program's version. */
  readonly program: string;
  readonly onProblem: (problem: ObjectProblem) => void;
  readonly onProgress?: (progress: Progress) => void;
}

type Needs = Pick<Ports, 'media' | 'storage' | 'clock'> & {
  readonly backups: DatabaseBackups;
  readonly digest: Digester;
};

export interface BackUpReport {
  readonly summary: BackupSummary;
  /** Objects that weren't as their rows say; missing ones aren't in the backup. */
  readonly problems: number;
}

/**
 * Writes a backup while the service runs. What was committed before the call is in it; an item that is deleted
 * meanwhile is in it whole or not at all. Objects that are missing or damaged already are told, and don't keep the rest
 * from being saved.
 *
 * @param writer finished here; the caller discards it
 */
export async function backUp(ports: Needs, writer: BackupWriter, options: BackUpOptions): Promise<BackUpReport> {
  const madeAt = new Date(ports.clock.now()).toISOString();
  const copy = await ports.backups.copyTo(options.copyPath);
  try {
    const problems = options.withMedia ? await addMedia(ports, copy, writer, options) : 0;
    const objects = await addList(copy, writer);
    const database = await writer.add({ name: DATABASE, sha256: null, ...(await copy.seal()) });
    if (options.secret) await addBytes(writer, SECRET, options.secret);
    const summary: BackupSummary = {
      format: FORMAT,
      program: options.program,
      made_at: madeAt,
      database,
      objects,
      with_media: options.withMedia,
    };
    await addBytes(writer, SUMMARY, new TextEncoder().encode(`${JSON.stringify(summary, null, 2)}\n`));
    await writer.finish();
    return { summary, problems };
  } finally {
    await copy.discard();
  }
}

/** Adds every object, and takes out of the copy what was deleted before its object could be. Answers the problems. */
async function addMedia(
  ports: Needs,
  copy: DatabaseCopy,
  writer: BackupWriter,
  { onProblem, onProgress }: BackUpOptions,
): Promise<number> {
  let [objects, bytes, problems] = [0, 0, 0];
  for await (const item of allActive(copy.media)) {
    const found = await addObject(ports, item, writer);
    objects += 1;
    bytes += item.content.size;
    if (found?.problem === 'missing' && !(await isStillThere(ports, item))) await copy.media.remove(item.id);
    else if (found !== null) {
      problems += 1;
      onProblem(found);
    }
    onProgress?.({ objects, bytes });
  }
  return problems;
}

async function addObject({ storage, digest }: Needs, item: ActiveMedia, writer: BackupWriter) {
  const object = await storage.open(item.fullName);
  if (object === null) return missing(item);
  const { size } = object;
  // A damaged object is saved as well as can be: with what it should be beside it.
  const sha256 = item.content.sha256 ?? (await digest(chunksOf(object))).sha256;
  const body = beginning(chunksOf(object));
  const first = await body.first.catch(async (error: unknown) => {
    // Removed between its opening and its first byte (ObjectStorage.open).
    if ((await storage.open(item.fullName)) === null) return null;
    throw error;
  });
  if (first === null) return missing(item);
  return compare(item, await writer.add({ name: `${MEDIA}${item.fullName}`, size, sha256, body: body.whole(first) }));
}

/** A body whose first chunk is read before anybody promises that there is one. */
function beginning(body: AsyncIterable<Uint8Array>) {
  const iterator = body[Symbol.asyncIterator]();
  return {
    first: iterator.next(),
    async *whole(first: IteratorResult<Uint8Array>): AsyncGenerator<Uint8Array> {
      try {
        for (let next = first; !next.done; next = await iterator.next()) yield next.value;
      } finally {
        await iterator.return?.();
      }
    },
  };
}

/** Adds a line for each active item of the copy. Written from two walks, as its length comes first. */
async function addList(copy: DatabaseCopy, writer: BackupWriter): Promise<BackupSummary['objects']> {
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
