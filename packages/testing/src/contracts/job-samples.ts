import {
  type Job,
  type JobClaim,
  type JobKey,
  type JobKind,
  type JobPayloads,
  type JobRelease,
  type JobStart,
  type Lease,
  NO_TERMS,
  type ProcessingMedia,
  type Uuid,
} from '@postshelf/domain';
import { NOW, sampleFit, sampleProcessing } from './samples.ts';
import type { Stores } from './stores.ts';

/** Duration of the samples' leases in milliseconds. */
export const LEASE_TIME = 60_000;

export const leaseOf = (owner: string, now: number = NOW): Lease => ({ owner, until: now + LEASE_TIME });

export const SAMPLE_IMPORT: JobPayloads['import'] = {
  url: 'https://media.example/clip.mov?part=1',
  terms: NO_TERMS,
  requestId: null,
};

export const SAMPLE_FIT: JobPayloads['fit'] = { target: 'x.post', how: 'crop' };

interface Details extends NonNullable<Parameters<typeof sampleProcessing>[1]> {
  readonly payload?: Partial<JobPayloads['import']>;
  readonly attempts?: number;
  readonly start?: JobStart;
}

/** Inserts a `processing` item and its import, by default free and due at `NOW`, and returns the item. */
export async function addImport(
  stores: Stores,
  workspaceId: Uuid,
  { payload = {}, attempts = 0, start = { dueAt: NOW }, ...details }: Details = {},
): Promise<ProcessingMedia> {
  const item = sampleProcessing(workspaceId, details);
  const job = { kind: 'import', payload: { ...SAMPLE_IMPORT, ...payload }, attempts } as const;
  const answer = await stores.processing.begin(item, job, start);
  if (answer !== 'kept') throw new Error(`A sample import was refused: ${answer}`);
  return item;
}

/** Inserts items with due imports, each due a millisecond after the previous one, and returns their ids. */
export async function addImports(
  stores: Stores,
  workspaceId: Uuid,
  count: number,
  dueAt: number = NOW - 1_000_000,
): Promise<readonly Uuid[]> {
  const ids: Uuid[] = [];
  for (let n = 0; n < count; n += 1) {
    ids.push((await addImport(stores, workspaceId, { start: { dueAt: dueAt + n } })).id);
  }
  return ids;
}

export async function addFit(stores: Stores, workspaceId: Uuid, start: JobStart = { dueAt: NOW }): Promise<Uuid> {
  const item = sampleFit(workspaceId);
  const answer = await stores.processing.begin(item, { kind: 'fit', payload: SAMPLE_FIT }, start);
  if (answer !== 'kept') throw new Error(`A sample fit was refused: ${answer}`);
  return item.id;
}

/**
 * Claims the job that has been due longest, by default at `NOW`. If `rules` allow a batch of jobs, they are sorted by
 * subject.
 */
export const claim = async <Kind extends JobKind>(
  { jobs }: Stores,
  kind: Kind,
  owner: string,
  { now = NOW, ...request }: Partial<Omit<JobClaim<Kind>, 'kind'>> = {},
): Promise<readonly Job<Kind>[]> => {
  const claimed = await jobs.claim({
    kind,
    rules: { batch: 1, order: 'oldest' },
    now,
    lease: leaseOf(owner, now),
    perWorkspace: null,
    without: [],
    ...request,
  });
  return claimed.toSorted((a, b) => (a.subjectId < b.subjectId ? -1 : 1));
};

/** Claims jobs until there are no more, and returns their subjects in the order in which they were claimed. */
export async function claimAll(
  of: Stores,
  kind: JobKind,
  owner: string,
  request: Parameters<typeof claim>[3] = {},
): Promise<readonly Uuid[]> {
  const ids: Uuid[] = [];
  for (;;) {
    const jobs = await claim(of, kind, owner, request);
    if (jobs.length === 0) return ids;
    ids.push(...idsOf(jobs));
  }
}

export const idsOf = (jobs: readonly Job[]): Uuid[] => jobs.map((job) => job.subjectId);

/** Returns those of the given subjects whose jobs the owner holds, in the given order. Renews the owner's leases. */
export async function heldBy(
  { jobs }: Stores,
  owner: string,
  kind: JobKind,
  ids: readonly Uuid[],
  now: number = NOW,
): Promise<Uuid[]> {
  const held = await jobs.renew(kind, ids, leaseOf(owner, now));
  return ids.filter((id) => held.has(id));
}

export const release = (
  { jobs }: Stores,
  key: JobKey,
  owner: string,
  next: Partial<JobRelease> = {},
): Promise<boolean> => jobs.release(key, owner, { dueAt: NOW, attempts: 0, claims: 0, reason: null, ...next });
