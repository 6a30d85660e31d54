import {
  invalid,
  kindOf,
  MAX_AWAITED_IMAGE_BYTES,
  type MediaWithCover,
  nextRetry,
  REQUEST_ENDED_EARLY,
  Refusal,
  RemoteError,
  type Workspace,
} from '@postshelf/domain';
import { requireFolder } from '../folders/check-references.ts';
import type { Ports } from '../ports.ts';
import type { Completing } from '../repeats/answer-once.ts';
import type { ReceivedFile } from '../uploads/inspect.ts';
import type { ImportOutcome } from './import-attempt.ts';
import type { ImportWorker } from './import-worker.ts';
import { type ImportRequest, NewImport, type NewImportPorts } from './new-import.ts';
import { ImportRejected, type OpenedImport, type OpenPorts, openImport } from './open-import.ts';

export interface ImportSettings {
  /** null in a process that leaves downloads to others. */
  readonly worker: ImportWorker | null;
  readonly retryDelays: readonly number[];
  readonly onOutcome?: (outcome: ImportOutcome) => void;
  /** Milliseconds that a request waits for an image of any size. */
  readonly imageTimeout: number;
}

/**
 * Imports the file at a URL, as far as the request waits for it: an image becomes `active`; videos, images above 50 MB
 * and files that weren't delivered at the first try are `processing`. The request holds a slot while it downloads.
 *
 * @throws Refusal `invalid` on `url` or `folder_id`, `too_large`, `busy`
 */
export async function startImport(
  ports: NewImportPorts & OpenPorts,
  settings: ImportSettings,
  workspace: Workspace,
  request: ImportRequest,
  signal: AbortSignal,
  complete?: Completing<MediaWithCover>,
): Promise<MediaWithCover> {
  await requireFolder(ports, workspace, 'folder_id', request.folderId);
  const releaseSlot = await ports.shares.take('fetches', workspace.id, signal);
  const started = new NewImport(ports, workspace, request, complete);
  // A download that continues after the answer must not end with the request.
  const stopping = new AbortController();
  const abort = (): void => stopping.abort(signal.reason);
  signal.addEventListener('abort', abort);
  const stopListening = (): void => signal.removeEventListener('abort', abort);
  try {
    if (signal.aborted) abort();
    const opened = await openImport(ports, workspace, request, { signal: stopping.signal });
    let download: Promise<ReceivedFile> | null = null;
    if (kindOf(opened.type) === 'image' && (opened.announcedSize ?? 0) <= MAX_AWAITED_IMAGE_BYTES) {
      const { received, isSmall } = awaitImage(opened, settings.imageTimeout);
      if (await isSmall) return await started.keepActive(await received);
      download = received;
    }
    stopping.signal.throwIfAborted();
    stopListening();
    return await handOver(ports, settings.worker, started, opened, download);
  } catch (cause) {
    if (cause instanceof ImportRejected) throw asRefusal(cause);
    if (cause === stopping.signal.reason)
      throw new Refusal({ code: 'malformed', message: REQUEST_ENDED_EARLY }, { cause });
    if (!(cause instanceof RemoteError)) throw cause;
    if (cause.problem.kind === 'refused') throw invalid('url', cause.problem.message);
    const { message, mayRecover } = cause.problem;
    const media = await started.tryLater(message, mayRecover, settings.retryDelays);
    const outcome = nextRetry(1, mayRecover, settings.retryDelays) ? 'retry' : 'failed';
    settings.onOutcome?.({ mediaId: media.item.id, outcome, cause });
    return media;
  } finally {
    stopListening();
    releaseSlot();
  }
}

function asRefusal(rejected: ImportRejected): Refusal {
  if (rejected.defect !== 'too_large') return invalid('url', rejected.message);
  return new Refusal({ code: 'too_large', message: rejected.message }, { cause: rejected });
}

/**
 * The request stops waiting: the worker continues the download, or a job starts it again.
 *
 * @param download null when receiving hasn't started
 */
async function handOver(
  { clock }: Pick<Ports, 'clock'>,
  worker: ImportWorker | null,
  started: NewImport,
  opened: OpenedImport,
  download: Promise<ReceivedFile> | null,
): Promise<MediaWithCover> {
  const item = started.processing(opened.type);
  const releaseSlot = worker?.reserve(item.workspaceId);
  let isAdopted = false;
  try {
    if (worker && releaseSlot) {
      const job = await started.keep(item, { lease: worker.lease() });
      const claimed = { ...job, mediaId: item.id, workspaceId: item.workspaceId, claims: 1 };
      worker.adopt(claimed, { received: download ?? opened.receive(), abort: () => opened.close() }, releaseSlot);
      isAdopted = true;
    } else {
      await started.keep(item, { dueAt: clock.now() });
    }
  } finally {
    if (!isAdopted) {
      releaseSlot?.();
      await abandon(opened, download);
    }
  }
  return { item, cover: null };
}

/** Drops the file if it has just been received. */
async function abandon(opened: OpenedImport, download: Promise<ReceivedFile> | null): Promise<void> {
  opened.close();
  const received = await download?.catch(() => null);
  await received?.object.discard();
}

/**
 * `isSmall` resolves to whether the image was received within 50 MB and the timeout. If not, `received` continues; if
 * receiving failed, `isSmall` is true and `received` rejects.
 */
function awaitImage(
  opened: OpenedImport,
  timeout: number,
): { readonly received: Promise<ReceivedFile>; readonly isSmall: Promise<boolean> } {
  const { promise: isTooLong, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), timeout);
  const received = opened.receive((total) => {
    if (total > MAX_AWAITED_IMAGE_BYTES) resolve(false);
  });
  const ended = received.then(
    () => true,
    () => true,
  );
  const isSmall = Promise.race([ended, isTooLong]).finally(() => clearTimeout(timer));
  return { received, isSmall };
}
