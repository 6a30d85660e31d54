import {
  beginImport,
  fullNameOf,
  type ImportJob,
  invalid,
  kindOf,
  MAX_AWAITED_IMAGE_BYTES,
  type MediaType,
  type MediaWithCover,
  nextRetry,
  type ProcessingMedia,
  provisionalName,
  REQUEST_ENDED_EARLY,
  Refusal,
  RemoteError,
  storeFile,
  type UploadTerms,
  type Uuid,
  type Workspace,
} from '@postshelf/domain';
import { storeFiles } from '../duplicates/store-files.ts';
import type { WorkKind } from '../fair-share/work-kinds.ts';
import { noSuchFolder, requireFolder } from '../folders/check-references.ts';
import type { ReceivedFile } from '../media/inspect-staged.ts';
import type { Ports } from '../ports.ts';
import type { Completing } from '../repeats/answer-once.ts';
import { failImport } from './finish-import.ts';
import type { ImportWorker } from './import-worker.ts';
import { ImportRejected, type OpenedImport, type OpenPorts, openImport } from './open-import.ts';

export interface ImportRequest {
  readonly url: string;
  /** null: the file name of the URL. */
  readonly name: string | null;
  readonly label: string | null;
  readonly folderId: Uuid | null;
  readonly terms: UploadTerms;
}

export interface ImportSettings {
  /** Continues downloads after the answer; null in a process that leaves them to other processes. */
  readonly worker: ImportWorker | null;
  /** As in `ImportWorkerOptions`. */
  readonly retryDelays: readonly number[];
  /** Milliseconds that a request waits for an image of any size. */
  readonly imageTimeout: number;
}

type StartPorts = Pick<Ports, 'folders' | 'media' | 'duplicates' | 'imports' | 'covers' | 'clock' | 'ids' | 'shares'> &
  OpenPorts;

/**
 * Imports the file at a URL, as far as the request waits for it: an image becomes `active`; videos, images above 50 MB
 * and files that the remote server didn't deliver at the first try are `processing`. The request holds a slot as long as
 * it has to do with the remote server.
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
  const giveBack = await ports.shares.take('fetches', workspace.id, signal);
  const start = new ImportStart(ports, settings, workspace, request, complete);
  // Not the caller's signal: a download that continues after the answer must not end with the request.
  const asking = new AbortController();
  const abort = (): void => asking.abort(signal.reason);
  signal.addEventListener('abort', abort);
  const stopListening = (): void => signal.removeEventListener('abort', abort);
  try {
    if (signal.aborted) abort();
    let kind: WorkKind = 'fetches';
    const pressure = () => ports.shares.pressure(kind, workspace.id);
    const opened = await openImport(ports, workspace, request, { signal: asking.signal, pressure });
    return await start.proceed(opened, () => {
      asking.signal.throwIfAborted();
      stopListening();
      kind = 'imports';
    });
  } catch (cause) {
    if (cause instanceof ImportRejected) throw asRefusal(cause);
    if (cause === asking.signal.reason)
      throw new Refusal({ code: 'malformed', message: REQUEST_ENDED_EARLY }, { cause });
    if (!(cause instanceof RemoteError)) throw cause;
    if (cause.problem.kind === 'refused') throw invalid('url', cause.problem.message);
    return start.tryLater(cause.problem.message, cause.problem.mayRecover);
  } finally {
    stopListening();
    giveBack();
  }
}

/** Lease of an import that is stored and then failed at once; after it a worker would claim the job. */
const FAILING_TIME = 30_000;

function asRefusal(rejected: ImportRejected): Refusal {
  if (rejected.reason !== 'too_large') return invalid('url', rejected.message);
  return new Refusal({ code: 'too_large', message: rejected.message }, { cause: rejected });
}

class ImportStart {
  constructor(
    private readonly ports: StartPorts,
    private readonly settings: ImportSettings,
    private readonly workspace: Workspace,
    private readonly request: ImportRequest,
    private readonly complete: Completing<MediaWithCover>,
  ) {}

  /** @param onHandOver called once the request no longer waits */
  async proceed(opened: OpenedImport, onHandOver: () => void): Promise<MediaWithCover> {
    let begun: Promise<ReceivedFile> | null = null;
    if (kindOf(opened.type) === 'image' && (opened.announcedSize ?? 0) <= MAX_AWAITED_IMAGE_BYTES) {
      const { received, isSmall } = awaitImage(opened, this.settings.imageTimeout);
      if (await isSmall) return this.#store(await received).finally(() => opened.release());
      begun = received;
    }
    onHandOver();
    return this.#handOver(opened, begun);
  }

  /** The remote server didn't deliver: the item stays `processing` until all tries are used up. */
  async tryLater(message: string, mayRecover: boolean): Promise<MediaWithCover> {
    const item = this.#processingItem(null);
    const job = this.#job(1);
    const next = nextRetry(1, mayRecover, this.settings.retryDelays);
    if (next) {
      await this.#add(item, job, { dueAt: this.ports.clock.now() + next.delay });
    } else {
      // Retrying is known to be useless. The answer still says `processing`, as for every failed try, and the item fails now.
      const owner = `request ${item.id}`;
      await this.#add(item, job, { lease: { owner, until: this.ports.clock.now() + FAILING_TIME } });
      await failImport(this.ports, { mediaId: item.id }, owner, message);
    }
    return { item, cover: null };
  }

  async #store({ object, content }: ReceivedFile): Promise<MediaWithCover> {
    try {
      const name = provisionalName(this.request.name, this.request.url, content.type);
      const item = storeFile(this.#details(name), content, this.ports.clock.now());
      const { onDuplicate } = this.request.terms;
      const { complete } = this;
      const completeAll: Completing<readonly MediaWithCover[]> =
        complete && ((all) => complete(all[0] ?? { item, cover: null }));
      const files = [{ item, object }];
      const all = await storeFiles(this.ports, this.workspace.id, files, onDuplicate, undefined, completeAll);
      const [stored] = all ?? [];
      if (!stored) throw noSuchFolder('folder_id');
      return stored;
    } finally {
      await object.discard();
    }
  }

  /**
   * The request stops waiting: the worker continues the open download, or a job in the queue starts it again.
   *
   * @param begun the file that is being received; null when receiving hasn't started
   */
  async #handOver(opened: OpenedImport, begun: Promise<ReceivedFile> | null): Promise<MediaWithCover> {
    const { worker } = this.settings;
    const item = this.#processingItem(opened.type);
    const job = this.#job(0);
    const giveBack = worker?.reserve(this.workspace.id);
    let isAdopted = false;
    try {
      if (worker && giveBack) {
        await this.#add(item, job, { lease: worker.lease() });
        const started = { ...job, mediaId: item.id, workspaceId: item.workspaceId, claims: 1 };
        worker.adopt(started, { received: begun ?? opened.receive(), abort: () => opened.close() }, giveBack);
        isAdopted = true;
      } else {
        await this.#add(item, job, { dueAt: this.ports.clock.now() });
      }
    } finally {
      if (!isAdopted) {
        giveBack?.();
        await abandon(opened, begun);
      }
    }
    return { item, cover: null };
  }

  async #add(...[item, job, start]: Parameters<StartPorts['imports']['add']>): Promise<void> {
    const completion = this.complete?.({ item, cover: null });
    if ((await this.ports.imports.add(item, job, start, completion)) === 'folder_missing')
      throw noSuchFolder('folder_id');
  }

  #job(attempts: number): Pick<ImportJob, 'url' | 'attempts' | 'terms'> {
    return { url: this.request.url, attempts, terms: this.request.terms };
  }

  #processingItem(type: MediaType | null): ProcessingMedia {
    const name = provisionalName(this.request.name, this.request.url, type);
    return beginImport(this.#details(name), this.ports.clock.now());
  }

  #details(name: string) {
    const id = this.ports.ids.next();
    const { label, folderId } = this.request;
    const workspaceId = this.workspace.id;
    return { id, workspaceId, folderId, label, name, fullName: fullNameOf(workspaceId, id, name) };
  }
}

/** Closes a download that nobody continues, and drops the file if it was received completely just now. */
async function abandon(opened: OpenedImport, begun: Promise<ReceivedFile> | null): Promise<void> {
  opened.close();
  const received = await begun?.catch(() => null);
  await received?.object.discard();
}

/**
 * Starts to receive an image. `isSmall` tells whether it was received within 50 MB and the timeout. If not, `received`
 * continues; if receiving failed, `isSmall` is true and `received` rejects.
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
