import {
  describeOwnershipProblem,
  type FenceProblem,
  judgeFence,
  judgeOwnership,
  type Library,
  type LibraryLocations,
  OWNERSHIP_SAMPLE,
  type OwnershipFacts,
  type OwnershipProblem,
  parseUuid,
  type StorageSample,
} from '@postshelf/domain';
import { forEachConcurrently } from '../concurrency.ts';
import type { Ports, Settings } from '../ports.ts';

/** The ports that decide whether a database and a storage belong to one library. */
export type OwnershipPorts = Pick<Ports, 'library' | 'fence' | 'media' | 'storage' | 'marker' | 'clock' | 'ids'> &
  Pick<Settings, 'locations'>;

export type OwnershipReadPorts = Omit<OwnershipPorts, 'storage'> & {
  readonly storage: Pick<Ports['storage'], 'open' | 'list'>;
};

/** Thrown if the database and the storage don't belong to one library, or a restore has not finished. */
export class OwnershipRefused extends Error {
  override readonly name = 'OwnershipRefused';

  constructor(
    readonly problem: OwnershipProblem,
    places: LibraryLocations,
  ) {
    super(describeOwnershipProblem(problem, places));
  }
}

export interface Ownership {
  readonly library: Library;
  readonly isMarkedNow: boolean;
  /** The reason why the database is read-only; null if it isn't. */
  readonly problem: FenceProblem | null;
}

const CONCURRENCY = 10;

/**
 * Checks that the database, which may be a copy, and the storage belong to one library, without writing to the storage.
 *
 * @throws as {@link establishOwnership} does
 */
export async function checkOwnership(ports: OwnershipReadPorts): Promise<Library> {
  return (await judgeBoth(ports)).library;
}

/**
 * Checks ownership before something is removed.
 *
 * @throws OwnershipRefused, also for a copy of the database
 */
export async function requireOwnership(ports: OwnershipReadPorts): Promise<Library> {
  const { library, problem } = await judgeBoth(ports);
  if (problem !== null) throw new OwnershipRefused(problem, ports.locations);
  return library;
}

async function judgeBoth(ports: OwnershipReadPorts) {
  let { mark, library, fence } = await readBoth(ports);
  // Another process may have marked the storage after the mark was read and before the database was read.
  if (mark === null && library.storageMarkedAt !== null) ({ mark, library, fence } = await readBoth(ports));
  const sample = mark === null ? await sampleStorage(ports) : NOTHING;
  const verdict = judge(ports, { library, mark, sample });
  return { library, mark, fence, verdict, problem: mark && judgeFence({ library, fence, mark }) };
}

async function readBoth({
  library,
  fence,
  marker,
  clock,
  ids,
}: Pick<OwnershipReadPorts, 'library' | 'fence' | 'marker' | 'clock' | 'ids'>) {
  // The mark is read first. Another process changes the database before the mark, so a new mark is never compared with
  // an old database.
  const mark = await marker.read();
  const found = (await library.find()) ?? (await library.findOrCreate(ids.next(), clock.now()));
  return { mark, library: found, fence: await fence.find() };
}

/**
 * Makes sure that the database has a library and that the storage has the library's mark. Called at every start.
 * Changes nothing if the database is a copy.
 *
 * @throws OwnershipRefused if they don't belong together
 * @throws Refusal `unavailable`; UnreadableMark
 */
export async function establishOwnership(ports: OwnershipPorts): Promise<Ownership> {
  const { library, mark, fence, verdict, problem } = await judgeBoth(ports);
  if (problem !== null) return { library, isMarkedNow: false, problem };
  const { id, generation } = library;
  // A restore was killed before it wrote the final mark, so the mark is written now.
  if (mark !== null && mark.restoring !== null) await ports.marker.write({ ...mark, restoring: null });
  if (mark === null) {
    // Another library may have marked the storage at the same time. In a store without conditional writes, the last
    // write wins, so the mark is read again.
    const { current } = fence;
    await ports.marker.create({
      library: id,
      generation,
      restoring: null,
      ...(current !== null && { fence: current }),
    });
    judge(ports, { library, mark: await ports.marker.read(), sample: NOTHING });
  }
  // The lost mark may have been written by a newer copy of the database. This database may therefore lack items, so the
  // library is treated as restored.
  const isMarkLost = verdict === 'claim' && library.storageMarkedAt !== null;
  const now = ports.clock.now();
  const restoredAt = isMarkLost ? (library.restoredAt ?? now) : library.restoredAt;
  const storageMarkedAt = library.storageMarkedAt ?? now;
  const isChanged = restoredAt !== library.restoredAt || storageMarkedAt !== library.storageMarkedAt;
  const changed = isChanged ? await ports.library.update({ restoredAt, storageMarkedAt }) : library;
  return { library: changed, isMarkedNow: mark === null, problem };
}

/**
 * Checks that a new database may be created for the storage; changes nothing.
 *
 * @param others whether the storage contains anything besides objects: uploads, or objects in the trash
 * @throws OwnershipRefused if the storage has a mark, objects or other files
 */
export async function requireFreshStorage(
  ports: Pick<OwnershipReadPorts, 'storage' | 'marker' | 'locations'>,
  others: boolean,
): Promise<void> {
  const mark = await ports.marker.read();
  const objects = mark === null ? (await firstKeys(ports.storage, 1)).length : 0;
  judge(ports, { library: null, mark, sample: { ...NOTHING, objects, others } });
}

const NOTHING: StorageSample = { objects: 0, known: 0, items: 0, present: 0, others: false };

function judge({ locations }: Pick<Settings, 'locations'>, facts: OwnershipFacts): 'own' | 'fresh' | 'claim' {
  const judgement = judgeOwnership(facts);
  if (judgement.verdict === 'refuse') throw new OwnershipRefused(judgement.problem, locations);
  return judgement.verdict;
}

export interface SamplePorts {
  readonly media: Pick<Ports['media'], 'existingFullNames' | 'findStored' | 'listActive'>;
  readonly storage: OwnershipReadPorts['storage'];
}

/** Checks how many of the first objects have an item, and how many of the oldest items have an object. */
export async function sampleStorage({ media, storage }: SamplePorts): Promise<StorageSample> {
  const keys = await firstKeys(storage, OWNERSHIP_SAMPLE.objects);
  const kept = await media.existingFullNames(keys);
  let known = kept.size;
  for (const key of keys) {
    const id = parseUuid(key.split('/')[1]);
    if (!kept.has(key) && id !== null && (await media.findStored(id)) !== null) known += 1;
  }
  const items = await media.listActive(null, OWNERSHIP_SAMPLE.items);
  let present = 0;
  const fullNames = items.map(({ fullName }) => fullName);
  await forEachConcurrently(fullNames, CONCURRENCY, async (fullName) => {
    if ((await storage.open(fullName)) !== null) present += 1;
  });
  return { objects: keys.length, known, items: items.length, present, others: false };
}

export async function firstKeys(storage: Pick<Ports['storage'], 'list'>, limit: number): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of storage.list()) {
    keys.push(key);
    if (keys.length === limit) break;
  }
  return keys;
}
