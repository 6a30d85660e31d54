import { expect } from 'bun:test';
import {
  beginImport,
  fullNameOf,
  importRules,
  JOB_RULES,
  type Job,
  type JobStart,
  limitWork,
  type MediaItem,
  NO_TERMS,
  type ProcessingMedia,
  type UploadTerms,
  type Uuid,
  type Workspace,
} from '@postshelf/domain';
import { FairShares, type ImportRequest, importHandler, type Ports, type Resources } from '../../src/index.ts';
import { claimJobs, countJobs, startRunner, type TestRunner, type TestRunnerOptions } from './jobs.ts';
import { countStaged, publishedKeys } from './objects.ts';
import type { World } from './world.ts';

export const URL = 'https://files.example/holiday/beach%20day.jpg';

/** Returns a request for the file at {@link URL}, with defaults for everything else. */
export const importRequest = (details: Partial<ImportRequest> = {}): ImportRequest => ({
  url: URL,
  name: null,
  label: null,
  folderId: null,
  terms: NO_TERMS,
  ...details,
});

export const RETRY_DELAYS = [5000, 30_000];
export const LEASE_TIME = JOB_RULES.import.leaseTime;

/** Claims the due import for an owner that isn't one of the test's runners; null if no import is due. */
export async function claimAs(
  ports: Pick<Ports, 'jobs' | 'clock'>,
  owner: string,
  lasting = LEASE_TIME,
): Promise<Job<'import'> | null> {
  const [job] = await claimJobs(ports, 'import', owner, lasting);
  return job ?? null;
}

export const countImports = (ports: Pick<Ports, 'jobs'>): Promise<number> => countJobs(ports, 'import');

/** Expects no download in progress, and no downloaded bytes left. */
export function expectNothingOpen(world: Pick<World, 'backing' | 'remoteFiles'>): void {
  expect(countStaged(world)).toBe(0);
  expect(world.remoteFiles.openFiles()).toBe(0);
}

export async function expectNothingLeft(world: World, workspace: Workspace): Promise<void> {
  expect(await itemsOf(world, workspace)).toEqual([]);
  expect(await countImports(world)).toBe(0);
  expect(await publishedKeys(world)).toEqual([]);
  expectNothingOpen(world);
}

export const never = (): AbortSignal => new AbortController().signal;

/** Returns a remote file that has these chunks and declares its size. */
export const fileOf = (...chunks: readonly Uint8Array[]) => ({
  chunks,
  announcedSize: chunks.reduce((sum, chunk) => sum + chunk.length, 0),
  ending: 'whole' as const,
});

/** Returns a remote file like {@link fileOf}, but nothing arrives after the first chunk until `release` is called. */
export function heldFile(first: Uint8Array, ...rest: readonly Uint8Array[]) {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield first;
    await promise;
    yield* rest;
  }
  return { file: { ...fileOf(first, ...rest), chunks: chunks() }, release };
}

interface AddedImport {
  readonly url?: string;
  readonly name?: string;
  readonly attempts?: number;
  readonly terms?: UploadTerms;
  readonly start?: JobStart;
}

/** Adds an import of the URL, due now unless `start` says otherwise, and returns its item. */
export async function addImport(
  { processing, ids, clock }: Pick<Ports, 'processing' | 'ids' | 'clock'>,
  { id: workspaceId }: Pick<Workspace, 'id'>,
  { url = URL, name = 'beach day', attempts = 0, terms = NO_TERMS, start = { dueAt: clock.now() } }: AddedImport = {},
): Promise<ProcessingMedia> {
  const id = ids.next();
  const details = { id, workspaceId, folderId: null, label: null, name, fullName: fullNameOf(workspaceId, id, name) };
  const item = beginImport(details, clock.now());
  const job = { kind: 'import', payload: { url, terms, requestId: null }, attempts } as const;
  await processing.begin(item, job, start);
  return item;
}

interface ImportOptions extends TestRunnerOptions {
  /** The number of slots of the process. */
  readonly concurrency?: number;
  readonly retryDelays?: readonly number[];
}

/** Starts a runner for imports with slots of its own, as a process does. */
export function startImports(
  ports: Resources,
  { concurrency = 10, perWorkspace = 5, retryDelays = RETRY_DELAYS, rules, ...options }: ImportOptions = {},
): TestRunner {
  const sizes = { imports: concurrency, importsPerWorkspace: perWorkspace ?? concurrency };
  const shares = new FairShares(limitWork({ uploads: 1, uploadsPerWorkspace: 1, scans: 1, writes: 1, ...sizes }));
  const own = { ...ports, shares };
  return startRunner(own, [importHandler(own, retryDelays)], {
    ...options,
    perWorkspace,
    rules: { ...importRules(retryDelays), ...rules },
  });
}

/** Returns the item as it is stored now; throws if it was deleted. */
export async function itemNow({ media }: Pick<Ports, 'media'>, id: Uuid): Promise<MediaItem> {
  const found = await media.find(id);
  if (!found) throw new Error(`The item ${id} is gone.`);
  return found.item;
}

/** Returns all items of a workspace except covers. */
export async function itemsOf({ media }: Pick<Ports, 'media'>, workspace: Workspace): Promise<readonly MediaItem[]> {
  const { items } = await media.list(workspace.id, {}, { offset: 0, limit: 1000 });
  return items.map(({ item }) => item);
}
