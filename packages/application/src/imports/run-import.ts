import { IMPORT_INTERRUPTED, type Job, nextRetry, RemoteError, type Uuid } from '@postshelf/domain';
import { done, type JobContext, type JobEnd, type JobHandler, oneByOne } from '../jobs/job-handler.ts';
import type { Ports } from '../ports.ts';
import type { InspectedFile } from '../uploads/inspect.ts';
import { type MakeActivePorts, makeActive } from '../uploads/make-items.ts';
import { type PendingEnd, recordFailure } from '../uploads/record.ts';
import type { PendingUpload } from '../uploads/store.ts';
import { ImportRejected, type OpenPorts, openImport } from './open-import.ts';

export type ImportPorts = MakeActivePorts & OpenPorts & Pick<Ports, 'workspaces' | 'processing'>;

type PendingImport = Extract<PendingUpload, { readonly kind: 'import' }>;

export interface Download {
  readonly file: Promise<InspectedFile>;
  /** Aborts the download, so that `file` is rejected. */
  abort(): void;
}

/**
 * Imports files that no request waits for. Outcomes: `active`, `failed` (the item has the reason), `retry` (the remote
 * server may recover), `dropped` (the process stops, or the item was deleted).
 *
 * @param retryDelays milliseconds between attempts at the remote server
 */
export const importHandler = (ports: ImportPorts, retryDelays: readonly number[]): JobHandler<'import'> => ({
  kind: 'import',
  run: oneByOne((job, context) => runImport(ports, retryDelays, job, context, startDownload(ports, job))),
  giveUp: (job, { owner }) => end(ports, job, owner, IMPORT_INTERRUPTED),
});

/** The outcome of a job for each way in which its item's wait for the file can end. */
const OUTCOMES = { done: 'active', failed: 'failed', lost: 'dropped' } as const satisfies Record<PendingEnd, string>;

/**
 * Receives the file of a job and makes its item active.
 *
 * @param download the download, which may have started earlier, and ends with the job
 */
export async function runImport(
  ports: ImportPorts,
  retryDelays: readonly number[],
  job: Job<'import'>,
  context: JobContext,
  download: Download,
): Promise<JobEnd> {
  const { signal } = context;
  // Whether the object may have been published under the item's full name. If so, this run counts among the job's
  // `claims`, so that the next run looks for the object.
  let mayHavePublished = false;
  const dropped = (): JobEnd => ({ next: 'again', outcome: 'dropped', after: 0, isStarted: mayHavePublished });
  const abort = (): void => download.abort();
  signal.addEventListener('abort', abort);
  try {
    if (signal.aborted) abort();
    const file = await download.file;
    try {
      if (signal.aborted) return dropped();
      mayHavePublished = true;
      const ended = await publish(ports, job, context, file);
      if (ended === 'lost' && signal.aborted) return dropped();
      return done(OUTCOMES[ended]);
    } finally {
      await file.object.discard();
    }
  } catch (cause) {
    if (signal.aborted) return dropped();
    if (cause instanceof ImportRejected) return await end(ports, job, context.owner, cause.message, cause);
    if (!(cause instanceof RemoteError)) throw cause;
    const attempts = job.attempts + 1;
    const { problem } = cause;
    const mayRecover = problem.kind === 'failed' && problem.mayRecover;
    const next = nextRetry(attempts, mayRecover, retryDelays);
    if (!next) return await end(ports, job, context.owner, problem.message, cause);
    return { next: 'again', outcome: 'retry', cause, after: next.delay, attempts, isStarted: mayHavePublished };
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

async function publish(
  ports: ImportPorts,
  { subjectId, claims, payload }: Job<'import'>,
  { owner, signal, renew }: JobContext,
  file: InspectedFile,
): Promise<PendingEnd> {
  const item = (await ports.media.find(subjectId))?.item;
  if (item?.status !== 'processing') return 'lost';
  const record = recordImport(ports, subjectId, owner);
  const pending = { kind: 'import', item, claims, terms: payload.terms, record, renewLease: renew } as const;
  return makeActive(ports, pending, file, signal);
}

const recordImport =
  ({ processing }: Pick<Ports, 'processing'>, subjectId: Uuid, owner: string): PendingImport['record'] =>
  (decide) =>
    processing.finish({ kind: 'import', subjectId }, owner, decide);

/** Marks an import as failed. Returns false if the item was deleted or the lease was lost. */
export const failImport = (
  ports: Pick<Ports, 'processing' | 'clock'>,
  id: Uuid,
  owner: string,
  message: string,
): Promise<boolean> => recordFailure(ports, { record: recordImport(ports, id, owner) }, message);

async function end(
  ports: ImportPorts,
  { subjectId }: Job<'import'>,
  owner: string,
  message: string,
  cause?: unknown,
): Promise<JobEnd> {
  return done((await failImport(ports, subjectId, owner, message)) ? 'failed' : 'dropped', cause);
}

function startDownload(ports: ImportPorts, { workspaceId, payload }: Job<'import'>): Download {
  const controller = new AbortController();
  const download = async (): Promise<InspectedFile> => {
    if (workspaceId === null) throw new Error('An import has no workspace.');
    // A workspace that is being removed isn't found; the default settings are then used.
    const workspace = (await ports.workspaces.find(workspaceId)) ?? { id: workspaceId, stripLocation: null };
    const opened = await openImport(ports, workspace, payload, { signal: controller.signal });
    controller.signal.addEventListener('abort', () => opened.close());
    return opened.download();
  };
  return { file: download(), abort: () => controller.abort() };
}
