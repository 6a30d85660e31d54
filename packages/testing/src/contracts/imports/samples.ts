import type { ClaimRequest, ImportJob, ImportQueue, Lease, ProcessingMedia, Uuid } from '@postshelf/domain';
import { LEASE_TIME } from '../pending/kinds.ts';
import { NOW, sampleProcessing } from '../samples.ts';
import type { Stores } from '../stores.ts';

export const SAMPLE_URL = 'https://media.example/clip.mov?part=1';

export const leaseOf = (owner: string, now: number = NOW): Lease => ({ owner, until: now + LEASE_TIME });

interface Details extends NonNullable<Parameters<typeof sampleProcessing>[1]> {
  readonly url?: string;
  readonly attempts?: number;
  readonly start?: Parameters<ImportQueue['add']>[2];
}

/** Inserts a `processing` item and its job, by default free and due at `NOW`, and returns the item. */
export async function addImport(
  stores: Stores,
  workspaceId: Uuid,
  { url = SAMPLE_URL, attempts = 0, start = { dueAt: NOW }, ...details }: Details = {},
): Promise<ProcessingMedia> {
  const item = sampleProcessing(workspaceId, details);
  const answer = await stores.imports.add(item, { url, attempts }, start);
  if (answer !== 'kept') throw new Error(`A sample import was refused: ${answer}`);
  return item;
}

/** Inserts items with due jobs, each due a millisecond after the previous one, and returns them. */
export async function addImports(
  stores: Stores,
  workspaceId: Uuid,
  count: number,
  dueAt: number = NOW - 1_000_000,
): Promise<readonly ProcessingMedia[]> {
  const items: ProcessingMedia[] = [];
  for (let n = 0; n < count; n += 1) {
    items.push(await addImport(stores, workspaceId, { start: { dueAt: dueAt + n } }));
  }
  return items;
}

/** Claims all jobs, by default at `NOW`, and returns them. */
export function claim(
  { imports }: Stores,
  owner: string,
  { now = NOW, ...request }: Partial<Omit<ClaimRequest, 'lease'>> = {},
): Promise<readonly ImportJob[]> {
  return imports.claim({ now, lease: leaseOf(owner, now), limit: 100, perWorkspace: 100, ...request });
}

export const idsOf = (jobs: readonly ImportJob[]): Uuid[] => jobs.map((job) => job.mediaId);

/** Which of the items the owner holds. Renews its leases. */
export async function heldBy(
  { imports }: Stores,
  owner: string,
  items: readonly ProcessingMedia[],
  now: number = NOW,
): Promise<Uuid[]> {
  const ids = items.map((item) => item.id);
  const held = await imports.renew(ids, leaseOf(owner, now));
  return ids.filter((id) => held.has(id));
}
