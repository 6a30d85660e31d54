import {
  judgeFence,
  judgeOwnership,
  type Library,
  type OwnershipProblem,
  type StorageMark,
  type StorageSample,
  UnreadableMark,
} from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import { countActive } from '../verify/all-active.ts';
import { type SamplePorts, sampleStorage } from './ownership.ts';

export interface AdoptionPlan {
  /** null if there is nothing to adopt. */
  readonly problem: OwnershipProblem | 'unmarked' | null;
  readonly library: Library | null;
  readonly workspaces: readonly string[];
  readonly items: number;
  readonly mark: StorageMark | null;
  readonly sample: StorageSample;
}

type AdoptionPorts = Pick<Ports, 'marker'> & {
  readonly storage: SamplePorts['storage'];
  /** null if the database doesn't exist yet. */
  readonly database: (Pick<Ports, 'library' | 'fence' | 'workspaces'> & Pick<SamplePorts, 'media'>) | null;
};

/** Returns what adopting would do, and changes nothing. @throws Refusal `unavailable` */
export async function planAdoption({ marker, storage, database }: AdoptionPorts): Promise<AdoptionPlan> {
  const mark = await readMark(marker);
  const media = database?.media ?? NO_MEDIA;
  const sample = await sampleStorage({ media, storage });
  const library = (await database?.library.find()) ?? null;
  const judgement = judgeOwnership({ library, mark, sample });
  const fence = await database?.fence.find();
  const fenced = library && fence && mark ? judgeFence({ library, fence, mark }) : null;
  const unmarked = judgement.verdict === 'own' ? fenced : 'unmarked';
  const problem = judgement.verdict === 'refuse' ? judgement.problem : unmarked;
  const workspaces = ((await database?.workspaces.list()) ?? []).map(({ name }) => name);
  return { problem, library, workspaces, items: await countActive(media), mark, sample };
}

/**
 * Marks the storage as the library's, whatever its mark was, so that other copies of the database become read-only. It
 * also records the database as restored, so that objects without a row are only treated as garbage with an operator's
 * consent.
 */
export async function adoptStorage({
  library,
  fence,
  marker,
  clock,
  ids,
}: Pick<Ports, 'library' | 'fence' | 'marker' | 'clock' | 'ids'>): Promise<Library> {
  const now = clock.now();
  await library.findOrCreate(ids.next(), now);
  // The database is updated first, so that nothing is removed if the process dies before the mark is written.
  const adopted = await library.update({ restoredAt: now, storageMarkedAt: now });
  const { current } = await fence.find();
  const next = ids.next();
  await fence.set({ current: next, previous: current, movedTo: null });
  await marker.write({ library: adopted.id, generation: adopted.generation, restoring: null, fence: next });
  return adopted;
}

const NO_MEDIA: SamplePorts['media'] = {
  existingFullNames: async () => new Set(),
  findStored: async () => null,
  listActive: async () => [],
};

/** Reads the mark; an unreadable mark counts as no mark. */
async function readMark(marker: Ports['marker']): Promise<StorageMark | null> {
  try {
    return await marker.read();
  } catch (error) {
    if (error instanceof UnreadableMark) return null;
    throw error;
  }
}
