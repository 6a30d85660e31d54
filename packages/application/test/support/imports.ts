import { expect } from 'bun:test';
import {
  beginImport,
  fullNameOf,
  type ImportJob,
  limitWork,
  type MediaItem,
  NO_TERMS,
  type ProcessingMedia,
  type Uuid,
  type Workspace,
} from '@postshelf/domain';
import type { ImportRequest } from '../../src/index.ts';
import { FairShares, ImportWorker, type ImportWorkerOptions, type Ports, type Resources } from '../../src/index.ts';
import { countStaged, publishedKeys } from './objects.ts';
import { nextTurn, until } from './waiting.ts';
import type { World } from './world.ts';

export const URL = 'https://files.example/holiday/beach%20day.jpg';

/** A request for the file at {@link URL}, with defaults for everything else. */
export const importRequest = (details: Partial<ImportRequest> = {}): ImportRequest => ({
  url: URL,
  name: null,
  label: null,
  folderId: null,
  terms: NO_TERMS,
  ...details,
});

export const RETRY_DELAYS = [5000, 30_000];
export const LEASE_TIME = 30_000;

/** The job that is due, claimed by an owner other than the workers of the test; null if none is due. */
export async function claimAs(
  { imports, clock }: Pick<Ports, 'imports' | 'clock'>,
  owner: string,
  lasting = LEASE_TIME,
): Promise<ImportJob | null> {
  const now = clock.now();
  const lease = { owner, until: now + lasting };
  const [job] = await imports.claim({ now, lease, limit: 1, perWorkspace: 100 });
  return job ?? null;
}

export const countJobs = async ({ imports }: Pick<Ports, 'imports'>): Promise<number> => (await imports.depth()).jobs;

/** Expects no download in progress, and no downloaded bytes left. */
export function expectNothingOpen(world: Pick<World, 'backing' | 'remoteFiles'>): void {
  expect(countStaged(world)).toBe(0);
  expect(world.remoteFiles.openFiles()).toBe(0);
}

export async function expectNothingLeft(world: World, workspace: Workspace): Promise<void> {
  expect(await itemsOf(world, workspace)).toEqual([]);
  expect(await countJobs(world)).toBe(0);
  expect(await publishedKeys(world)).toEqual([]);
  expectNothingOpen(world);
}

export const never = (): AbortSignal => new AbortController().signal;

/** A remote file of these chunks, with its size announced. */
export const fileOf = (...chunks: readonly Uint8Array[]) => ({
  chunks,
  announcedSize: chunks.reduce((sum, chunk) => sum + chunk.length, 0),
  ending: 'whole' as const,
});

/** The same, but after the first chunk nothing arrives before `release` is called. */
export function heldFile(first: Uint8Array, ...rest: readonly Uint8Array[]) {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield first;
    await promise;
    yield* rest;
  }
  return { file: { ...fileOf(first, ...rest), chunks: chunks() }, release };
}

/** Adds an import of the URL, due now, and returns its item. */
export async function addImport(
  { imports, ids, clock }: Pick<Ports, 'imports' | 'ids' | 'clock'>,
  { id: workspaceId }: Pick<Workspace, 'id'>,
  { url = URL, name = 'beach day', attempts = 0, terms = NO_TERMS } = {},
): Promise<ProcessingMedia> {
  const id = ids.next();
  const details = { id, workspaceId, folderId: null, label: null, name, fullName: fullNameOf(workspaceId, id, name) };
  const item = beginImport(details, clock.now());
  await imports.add(item, { url, attempts, terms }, { dueAt: clock.now() });
  return item;
}

type Outcome = Parameters<ImportWorkerOptions['onOutcome']>[0];

export interface TestWorker {
  readonly worker: ImportWorker;
  readonly outcomes: readonly Outcome[];
  /**
   * Resolves when so many outcomes were reported and the work on these imports, or on all, has ended.
   *
   * @param isKilled ends the wait, which would otherwise keep this process busy until its end
   */
  heard(count: number, isKilled?: () => boolean): Promise<readonly Outcome['outcome'][]>;
}

export function startWorker(
  ports: Resources,
  { concurrency = 10, ...options }: Partial<ImportWorkerOptions> & { readonly concurrency?: number } = {},
): TestWorker {
  const outcomes: Outcome[] = [];
  let [begun, ended] = [0, 0];
  // Each worker stands for a process of its own.
  const sizes = { imports: concurrency, importsPerWorkspace: options.perWorkspace ?? 5 };
  const shares = new FairShares(limitWork({ uploads: 1, uploadsPerWorkspace: 1, scans: 1, writes: 1, ...sizes }));
  const worker = new ImportWorker(
    { ...ports, shares },
    {
      owner: 'worker',
      perWorkspace: 5,
      leaseTime: LEASE_TIME,
      retryDelays: RETRY_DELAYS,
      onOutcome: (outcome) => void outcomes.push(outcome),
      within: async (work) => {
        begun += 1;
        await work().finally(() => {
          ended += 1;
        });
      },
      ...options,
    },
  );
  return {
    worker,
    outcomes,
    async heard(count, isKilled = () => false) {
      await until(() => isKilled() || (outcomes.length >= count && (ended >= count || ended === begun)));
      await nextTurn();
      return outcomes.map(({ outcome }) => outcome);
    },
  };
}

/** The item as it is stored now; throws if it was deleted. */
export async function itemNow({ media }: Pick<Ports, 'media'>, id: Uuid): Promise<MediaItem> {
  const found = await media.find(id);
  if (!found) throw new Error(`The item ${id} is gone.`);
  return found.item;
}

/** All items of a workspace except covers. */
export async function itemsOf({ media }: Pick<Ports, 'media'>, workspace: Workspace): Promise<readonly MediaItem[]> {
  const { items } = await media.list(workspace.id, {}, { offset: 0, limit: 1000 });
  return items.map(({ item }) => item);
}
