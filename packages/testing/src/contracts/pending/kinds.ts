import {
  type ActiveMedia,
  activate,
  fail,
  type MediaContent,
  NO_TERMS,
  type PendingOutcome,
  type ProcessingJob,
  type ProcessingKind,
  type ProcessingMedia,
  type TemporaryMedia,
  type Uuid,
} from '@postshelf/domain';
import { claimAll, LEASE_TIME, SAMPLE_FIT, SAMPLE_IMPORT } from '../job-samples.ts';
import { NOW, sampleFit, sampleProcessing, sampleTemporary, sampleVideo } from '../samples.ts';
import type { Stores } from '../stores.ts';

/** An item that waits for its file. */
export type PendingMedia = ProcessingMedia | TemporaryMedia;

type Details = NonNullable<Parameters<typeof sampleProcessing>[1]>;

/**
 * A way in which the file of an item arrives after the item was created. Each kind stores a job or an upload with the
 * item, and takes a lease while it processes the item.
 */
export interface PendingKind {
  readonly name: string;
  /** Returns a new item that isn't inserted yet. */
  sample(workspaceId: Uuid, details?: Details): PendingMedia;
  /** Inserts items with their jobs or uploads. */
  add(of: Stores, items: readonly PendingMedia[]): Promise<'kept' | 'folder_missing'>;
  /** Takes the lease for {@link LEASE_TIME} from `now` on. */
  claim(of: Stores, id: Uuid, owner: string, now: number): Promise<boolean>;
  finish(of: Stores, id: Uuid, owner: string, decide: (item: PendingMedia) => PendingOutcome): Promise<boolean>;
  /** Whether the item has a job or an upload. */
  isPending(of: Stores, id: Uuid): Promise<boolean>;
}

const processing = (
  name: string,
  sample: PendingKind['sample'],
  job: ProcessingJob<'import'> | ProcessingJob<'fit'>,
): PendingKind => ({
  name,
  sample,
  async add({ processing: { begin } }, items) {
    for (const item of items as ProcessingMedia[]) {
      const answer = await begin<ProcessingKind>(item, job, { dueAt: NOW });
      if (answer === 'full') throw new Error('There are too many jobs.');
      if (answer !== 'kept') return answer;
    }
    return 'kept';
  },
  async claim(of, id, owner, now) {
    return (await claimAll(of, job.kind, owner, { now })).includes(id);
  },
  finish: (of, subjectId, owner, decide) => of.processing.finish({ kind: job.kind, subjectId }, owner, decide),
  async isPending({ jobs }) {
    const { waiting, running } = (await jobs.figures()).get(job.kind) ?? { waiting: 0, running: 0 };
    return waiting + running > 0;
  },
});

export const PENDING_KINDS: readonly PendingKind[] = [
  processing('imports', sampleProcessing, { kind: 'import', payload: SAMPLE_IMPORT }),
  processing('fits', sampleFit, { kind: 'fit', payload: SAMPLE_FIT }),
  {
    name: 'presigned uploads',
    sample: sampleTemporary,
    add: ({ presign }, items) =>
      presign.add(
        (items as TemporaryMedia[]).map((item) => ({
          item,
          upload: {
            kind: 'presigned',
            id: item.id,
            size: 5,
            type: 'image/png',
            expiresAt: Math.ceil(NOW / 1000) * 1000,
            terms: NO_TERMS,
          },
        })),
      ),
    claim: ({ presign }, id, owner, now) => presign.claim(id, { owner, until: now + LEASE_TIME }, now),
    finish: ({ presign }, id, owner, decide) => presign.finish(id, owner, decide),
    isPending: async ({ presign }, id) => (await presign.find(id)) !== null,
  },
];

/** Returns the active item that a waiting item becomes when its file, a video, has arrived. */
export const arrived = (item: PendingMedia, details: Partial<MediaContent> = {}): ActiveMedia => {
  const content = { ...sampleVideo(item.workspaceId).content, ...details };
  return activate(item, { name: `${item.name}.mov`, fullName: `${item.fullName}.mov`, content }, NOW + 5);
};

export const arrives =
  (cover: ActiveMedia | null = null) =>
  (item: PendingMedia): PendingOutcome => ({ item: arrived(item), cover });

export const breaksOff = (item: PendingMedia): Extract<PendingOutcome, { readonly cover: null }> => ({
  item: fail(item, 'The server at media.example answered 404.', NOW + 5),
  cover: null,
});

/** A `decide` function for calls that must not decide: it fails the test. */
export const mustNotDecide = (item: PendingMedia): never => {
  throw new Error(`The end of ${item.id} was decided`);
};
