import { describe, expect, test } from 'bun:test';
import {
  fail,
  type JobClaim,
  type JobKind,
  type Lease,
  MAX_FOLDER_DEPTH,
  type PendingOutcome,
  type ProcessingMedia,
  type Uuid,
} from '@postshelf/domain';
import { release, SAMPLE_IMPORT } from '@postshelf/testing/contracts/job-samples';
import { sampleUpload } from '@postshelf/testing/contracts/presign-repository/samples';
import {
  addWorkspace,
  NOW,
  newId,
  sampleCover,
  sampleFolder,
  sampleImage,
  sampleProcessing,
  sampleVideo,
} from '@postshelf/testing/contracts/samples';
import type { Repositories } from '../../src/store/database.ts';
import { dialects, type Opened, openerOf } from '../support/dialects.ts';

const CLIENTS = 8;
const ROUNDS = 50;
const PER_WORKSPACE = 3;

/** The ids of the resources that the clients have created, and that all clients may change. */
class Created {
  readonly folders: Uuid[] = [];
  readonly media: Uuid[] = [];
  readonly imports: Uuid[] = [];
  readonly uploads: Uuid[] = [];

  constructor(readonly workspaces: readonly Uuid[]) {}
}

/** Picks one of the last few elements, so that clients collide. */
const pick = <T>(from: readonly T[]): T | undefined => {
  const last = from.slice(-4);
  return last[Math.floor(Math.random() * last.length)];
};

/** Work that requests and workers may do concurrently in any number. Any result is fine, but nothing may throw. */
const ACTIONS: readonly ((of: Repositories, created: Created, workspaceId: Uuid, owner: string) => Promise<unknown>)[] =
  [
    async ({ folders }, created, workspaceId) => {
      const folder = sampleFolder(workspaceId, { parentId: pick(created.folders) ?? null });
      if ((await folders.insert(folder)) === null) created.folders.push(folder.id);
    },
    ({ folders }, created) =>
      folders.update(pick(created.folders) ?? newId(), { parentId: pick(created.folders) ?? null }, 1),
    ({ folders }, created) => folders.update(pick(created.folders) ?? newId(), { name: `${newId()}` }, 1),
    ({ folders }, created) => folders.delete(pick(created.folders) ?? newId()),
    async ({ media }, created, workspaceId) => {
      const video = sampleVideo(workspaceId, { folderId: pick(created.folders) ?? null });
      const image = sampleImage(workspaceId, { folderId: pick(created.folders) ?? null });
      const late = sampleVideo(workspaceId, { updatedAt: 1 });
      await media.insert([image, video, sampleCover(video), late], [late.id]);
      created.media.push(image.id, video.id, late.id);
    },
    ({ media }, created) =>
      media.update(pick(created.media) ?? newId(), { folderId: pick(created.folders) ?? null }, 1),
    ({ media }, created) => media.update(pick(created.media) ?? newId(), { label: `${newId()}` }, 1),
    ({ media }, created) => media.delete(pick(created.media) ?? newId()),
    ({ media }, created) => media.delete(pick(created.imports) ?? newId()),
    ({ media }, created) => media.delete(pick(created.uploads) ?? newId()),
    async ({ processing }, created, workspaceId) => {
      const item = sampleProcessing(workspaceId, { folderId: pick(created.folders) ?? null });
      await processing.begin(item, { kind: 'import', payload: SAMPLE_IMPORT }, { dueAt: 0 });
      created.imports.push(item.id);
    },
    // This worker never finishes the first job that it claims. At every claim, half of all leases have expired.
    async ({ jobs, processing }, _created, _workspaceId, owner) => {
      const claimed = await jobs.claim({ ...claimOf('import', owner), perWorkspace: PER_WORKSPACE });
      for (const job of claimed.slice(1)) await processing.finish(job, owner, arrive);
    },
    async ({ jobs, previews }, _created, _workspaceId, owner) => {
      const [first, ...others] = await jobs.claim(claimOf('preview', owner));
      for (const { subjectId } of others) await previews.store(subjectId, { hasFailed: false, placeholder: null });
      if (first) await jobs.fail(first, owner, 'reason');
    },
    async ({ jobs, media }, _created, _workspaceId, owner) => {
      for (const { subjectId } of await jobs.claim(claimOf('cover', owner))) {
        await media.finishCover(subjectId, owner, null);
      }
    },
    ({ processing }, created, _workspaceId, owner) =>
      processing.finish({ kind: 'import', subjectId: pick(created.imports) ?? newId() }, owner, arrive),
    (of, created, _workspaceId, owner) =>
      release(of, { kind: 'import', subjectId: pick(created.imports) ?? newId() }, owner, { dueAt: 0, attempts: 1 }),
    ({ jobs }, created, _workspaceId, owner) =>
      jobs.renew(
        'import',
        [...created.imports].sort(() => Math.random() - 0.5),
        // The renewed lease expires immediately. A later end would make a lease that has already expired count towards
        // the limit again.
        { owner, until: 0 },
      ),
    async ({ jobs }) => [await jobs.due(1), await jobs.figures()],
    async ({ presign }, created, workspaceId) => {
      const upload = sampleUpload(workspaceId);
      await presign.add([upload]);
      created.uploads.push(upload.item.id);
    },
    async ({ presign }, created, _workspaceId, owner) => {
      const id = pick(created.uploads) ?? newId();
      if (!(await presign.claim(id, { owner, until: 2 }, 1))) return;
      await presign.finish(id, owner, (item) => ({ item: fail(item, 'message', 1), cover: null }));
    },
  ];

const anyLease = (owner: string): Lease => ({ owner, until: Math.round(Math.random()) * 2 });

const claimOf = <Kind extends JobKind>(kind: Kind, owner: string): JobClaim<Kind> => ({
  kind,
  rules: { batch: 4, order: 'oldest' },
  now: kind === 'import' ? 1 : NOW,
  lease: anyLease(owner),
  perWorkspace: null,
  without: [],
});

const arrive = (item: ProcessingMedia): PendingOutcome => {
  const video = { ...sampleVideo(item.workspaceId), ...item, status: 'active' as const };
  return { item: video, cover: sampleCover(video) };
};

describe.each(dialects)('concurrent operations of all kinds with $name', (dialect) => {
  const open = openerOf(dialect);

  test('leave a consistent library, and none fails', async () => {
    const opened = await open();
    const { one, two, store, close } = opened;
    try {
      const created = new Created([(await addWorkspace(one)).id, (await addWorkspace(one)).id]);
      const client = async (number: number): Promise<void> => {
        for (let round = 0; round < ROUNDS; round += 1) {
          const workspaceId = pick(created.workspaces) ?? newId();
          await pick(ACTIONS)?.(
            number % 2 === 0 ? one : two,
            created,
            workspaceId,
            number % 4 < 2 ? 'one owner' : 'other owner',
          );
          const held = await leasesIn(opened);
          for (const count of held) expect(count).toBeLessThanOrEqual(PER_WORKSPACE);
        }
      };
      await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
      const rows = await store.reads.selectFrom('folders').select(['id', 'parent_id']).execute();
      const parents = new Map(rows.map((row) => [row.id, row.parent_id]));
      for (const { id } of rows) expect(levelOf(parents, id)).toBeLessThanOrEqual(MAX_FOLDER_DEPTH);
    } finally {
      await close();
    }
  });
});

function levelOf(parents: ReadonlyMap<Uuid, Uuid | null>, id: Uuid): number {
  let level = 0;
  for (let at: Uuid | null | undefined = id; at && level <= parents.size; level += 1) at = parents.get(at);
  return level;
}

/** Returns the number of leases of each workspace that has any. */
async function leasesIn({ store }: Opened): Promise<number[]> {
  const rows = await store.reads
    .selectFrom('jobs')
    .select((eb) => eb.fn.countAll<number>().as('leases'))
    .where('kind', '=', 'import')
    .where('lease_owner', 'is not', null)
    .where('due_at', '>', 1)
    .groupBy('workspace_id')
    .execute();
  return rows.map((row) => Number(row.leases));
}
