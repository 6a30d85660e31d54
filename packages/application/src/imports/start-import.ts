import {
  type Actor,
  type AnnouncedType,
  beginImport,
  describeCause,
  fullNameOf,
  type ImportPayload,
  invalid,
  isConvertedType,
  type Job,
  type JobStart,
  kindOf,
  MAX_AWAITED_IMAGE_BYTES,
  type MediaItem,
  type MediaWithCover,
  nextRetry,
  type ProcessingMedia,
  provisionalName,
  REQUEST_ENDED_EARLY,
  Refusal,
  RemoteError,
  StorageFull,
  storeFile,
  UnusableName,
  type UploadTerms,
  type Uuid,
  type Workspace,
} from '@postshelf/domain';
import { noSuchFolder, requireFolder } from '../folders/check-references.ts';
import type { Completing } from '../idempotency/answer-once.ts';
import type { JobRunner } from '../jobs/job-runner.ts';
import type { Ports } from '../ports.ts';
import type { InspectedFile } from '../uploads/inspect.ts';
import { type MakePorts, makeItems } from '../uploads/make-items.ts';
import { ImportRejected, type OpenedImport, type OpenPorts, openImport } from './open-import.ts';
import { failImport, type ImportPorts, runImport } from './run-import.ts';

export interface ImportRequest {
  readonly createdBy?: Actor | null;
  readonly url: string;
  readonly name: string | null;
  readonly label: string | null;
  readonly folderId: Uuid | null;
  readonly terms: UploadTerms;
  readonly requestId?: string;
}

type StartPorts = MakePorts & OpenPorts & ImportPorts & Pick<Ports, 'folders'>;

export interface ImportSettings {
  /** null in a process that leaves downloads to other processes. */
  readonly runner: JobRunner | null;
  readonly retryDelays: readonly number[];
  /** Called when the first attempt has failed; a job makes any further attempts. */
  readonly onFailedTry?: (mediaId: Uuid, outcome: 'retry' | 'failed', cause: RemoteError) => void;
  /** Milliseconds that a request waits for an image of any size. */
  readonly imageTimeout: number;
}

/**
 * Imports the file at a URL. The request waits only for an image, which becomes `active`. Videos, images above 50 MB
 * and files that weren't delivered at the first attempt stay `processing`. The request holds a slot while it downloads.
 *
 * @throws Refusal `invalid` on `url` or `folder_id`, `too_large`, `busy`
 */
export async function startImport(
  ports: StartPorts,
  settings: ImportSettings,
  workspace: Workspace,
  request: ImportRequest,
  signal: AbortSignal,
  complete?: Completing<MediaWithCover>,
): Promise<MediaWithCover> {
  await requireFolder(ports, workspace, 'folder_id', request.folderId);
  const releaseSlot = await ports.shares.take('fetches', workspace.id, signal);
  const started = new NewImport(ports, workspace, request, complete);
  // A download that continues after the response must not end with the request.
  const stopping = new AbortController();
  const abort = (): void => stopping.abort(signal.reason);
  signal.addEventListener('abort', abort);
  const stopListening = (): void => signal.removeEventListener('abort', abort);
  try {
    if (signal.aborted) abort();
    const opened = await openImport(ports, workspace, request, { signal: stopping.signal });
    let download: Promise<InspectedFile> | null = null;
    if (isImage(opened.type) && (opened.announcedSize ?? 0) <= MAX_AWAITED_IMAGE_BYTES) {
      const { file, hasEnded } = awaitImage(opened, settings.imageTimeout);
      if (await hasEnded) return await started.keepActive(await file);
      download = file;
    }
    stopping.signal.throwIfAborted();
    stopListening();
    return await handOver(ports, settings, started, opened, download);
  } catch (cause) {
    if (cause instanceof ImportRejected) throw asRefusal(cause);
    if (cause === stopping.signal.reason)
      throw new Refusal({ code: 'malformed', message: REQUEST_ENDED_EARLY }, { cause });
    if (!(cause instanceof RemoteError)) throw cause;
    if (cause.problem.kind === 'refused') throw invalid('url', cause.problem.message);
    const { message, mayRecover } = cause.problem;
    const media = await started.tryLater(message, mayRecover, settings.retryDelays);
    const outcome = nextRetry(1, mayRecover, settings.retryDelays) ? 'retry' : 'failed';
    settings.onFailedTry?.(media.item.id, outcome, cause);
    return media;
  } finally {
    stopListening();
    releaseSlot();
  }
}

const isImage = (type: AnnouncedType): boolean => isConvertedType(type) || kindOf(type) === 'image';

function asRefusal(rejected: ImportRejected): Refusal {
  if (rejected.defect !== 'too_large') return invalid('url', rejected.message);
  return new Refusal({ code: 'too_large', message: rejected.message }, { cause: rejected });
}

/**
 * Lets the request stop waiting: the worker continues the download, or a job starts it again.
 *
 * @param download null if the download hasn't started
 */
async function handOver(
  ports: StartPorts,
  { runner, retryDelays }: ImportSettings,
  started: NewImport,
  opened: OpenedImport,
  download: Promise<InspectedFile> | null,
): Promise<MediaWithCover> {
  const item = started.processing(opened.type);
  const releaseSlot = runner?.reserve('import', item.workspaceId);
  let isAdopted = false;
  try {
    if (runner && releaseSlot) {
      await started.keep(item, { lease: runner.leaseFor('import') });
      const adopted = { file: download ?? opened.download(), abort: () => opened.close() };
      runner.adopt(started.jobOf(item), releaseSlot, (job, context) =>
        runImport(ports, retryDelays, job, context, adopted),
      );
      isAdopted = true;
    } else {
      await started.keep(item, { dueAt: ports.clock.now() });
    }
  } finally {
    if (!isAdopted) {
      releaseSlot?.();
      await abandon(opened, download);
    }
  }
  return { item, cover: null };
}

/** Closes the connection, and discards the file if it has just been received. */
async function abandon(opened: OpenedImport, download: Promise<InspectedFile> | null): Promise<void> {
  opened.close();
  const file = await download?.catch(() => null);
  await file?.object.discard();
}

/**
 * Waits for an image. `hasEnded` is true if the download succeeds or fails before it exceeds 50 MB or the timeout.
 * Otherwise it is false, and the download continues.
 */
function awaitImage(
  opened: OpenedImport,
  timeout: number,
): { readonly file: Promise<InspectedFile>; readonly hasEnded: Promise<boolean> } {
  const { promise: takesLonger, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), timeout);
  const file = opened.download((total) => {
    if (total > MAX_AWAITED_IMAGE_BYTES) resolve(false);
  });
  const ended = file.then(
    () => true,
    () => true,
  );
  const hasEnded = Promise.race([ended, takesLonger]).finally(() => clearTimeout(timer));
  return { file, hasEnded };
}

/**
 * Milliseconds that the lease lasts for an import that fails as soon as it is stored. If the process is killed before
 * it records the failure, a worker claims the import.
 */
const FAILING_TIME = 30_000;

/** Stores the item that an import creates, exactly once: `active`, or `processing` with a job in the queue. */
class NewImport {
  /** @param complete the response to an idempotent request, stored with the item */
  constructor(
    private readonly ports: StartPorts,
    private readonly workspace: Workspace,
    private readonly request: ImportRequest,
    private readonly complete: Completing<MediaWithCover>,
  ) {}

  async keepActive({ object, content }: InspectedFile): Promise<MediaWithCover> {
    try {
      const name = provisionalName(this.request.name, this.request.url, content.type);
      const item = storeFile(this.#details(name), content, this.ports.clock.now());
      const { onDuplicate } = this.request.terms;
      const { complete } = this;
      const completeAll: Completing<readonly MediaWithCover[]> =
        complete && ((all) => complete(all[0] ?? { item, cover: null }));
      const files = [{ item, object }];
      const all = await makeItems(this.ports, this.workspace.id, files, onDuplicate, undefined, completeAll);
      const [stored] = all ?? [];
      if (!stored) throw noSuchFolder('folder_id');
      return stored;
    } catch (cause) {
      if (cause instanceof StorageFull) throw invalid('url', cause.sentence);
      throw cause instanceof UnusableName ? invalid('name', cause.sentence) : cause;
    } finally {
      await object.discard();
    }
  }

  processing(type: AnnouncedType | null): ProcessingMedia {
    const known = type === null || isConvertedType(type) ? null : type;
    const name = provisionalName(this.request.name, this.request.url, known);
    return beginImport(this.#details(name), this.ports.clock.now());
  }

  /**
   * Stores a `processing` item and its job; `start` says when the job is due, or under which lease it is stored.
   *
   * @param failure why the request's own attempt failed; null if it hasn't failed
   */
  async keep(item: ProcessingMedia, start: JobStart, failure: string | null = null): Promise<void> {
    const completion = this.complete?.({ item, cover: null });
    const tried = failure === null ? {} : { attempts: 1, reason: describeCause(failure) };
    const job = { kind: 'import', payload: this.#payload(), ...tried } as const;
    const kept = await this.ports.processing.begin(item, job, start, completion);
    if (kept !== 'kept') throw noSuchFolder('folder_id');
  }

  /** Returns the job of an item, as {@link keep} has stored it under a lease. */
  jobOf({ id, workspaceId, createdAt }: MediaItem): Job<'import'> {
    const payload = this.#payload();
    return { kind: 'import', subjectId: id, workspaceId, payload, addedAt: createdAt, attempts: 0, claims: 1 };
  }

  #payload(): ImportPayload {
    const { url, terms, requestId = null } = this.request;
    return { url, terms, requestId };
  }

  /** Stores an item that stays `processing` until all attempts are used up. */
  async tryLater(message: string, mayRecover: boolean, retryDelays: readonly number[]): Promise<MediaWithCover> {
    const item = this.processing(null);
    const next = nextRetry(1, mayRecover, retryDelays);
    if (next) {
      await this.keep(item, { dueAt: this.ports.clock.now() + next.delay }, message);
    } else {
      // Retrying is useless, so the item fails now. The response still says `processing`, as it does after every failed
      // attempt.
      const owner = `request ${item.id}`;
      await this.keep(item, { lease: { owner, until: this.ports.clock.now() + FAILING_TIME } }, message);
      await failImport(this.ports, item.id, owner, message);
    }
    return { item, cover: null };
  }

  #details(name: string) {
    const id = this.ports.ids.next();
    const { createdBy, label, folderId } = this.request;
    const workspaceId = this.workspace.id;
    const fullName = fullNameOf(workspaceId, id, name);
    return { id, workspaceId, folderId, label, name, fullName, createdBy };
  }
}
