import {
  type Actor,
  beginImport,
  fullNameOf,
  type ImportJob,
  invalid,
  type MediaType,
  type MediaWithCover,
  nextRetry,
  type ProcessingMedia,
  provisionalName,
  StorageFull,
  storeFile,
  type UploadTerms,
  type Uuid,
  type Workspace,
} from '@postshelf/domain';
import { noSuchFolder } from '../folders/check-references.ts';
import type { Ports, Shared } from '../ports.ts';
import type { Completing } from '../repeats/answer-once.ts';
import { storeFiles } from '../uploads/insert.ts';
import type { InspectPorts, ReceivedFile } from '../uploads/inspect.ts';
import { failImport } from './finish-import.ts';

export interface ImportRequest {
  readonly createdBy?: Actor;
  readonly url: string;
  readonly name: string | null;
  readonly label: string | null;
  readonly folderId: Uuid | null;
  readonly terms: UploadTerms;
  readonly requestId?: string;
}

export type NewImportPorts = Pick<
  Ports,
  'folders' | 'media' | 'uploads' | 'duplicates' | 'imports' | 'covers' | 'clock' | 'ids'
> &
  Pick<Shared, 'shares'> &
  InspectPorts;

/**
 * Milliseconds of the lease under which an import is stored to be failed at once; after a kill in between a worker
 * claims it.
 */
const FAILING_TIME = 30_000;

/** Stores the item that an import creates, once: `active`, or `processing` with a job in the queue. */
export class NewImport {
  /** @param complete the answer to an idempotent request, kept with the item */
  constructor(
    private readonly ports: NewImportPorts,
    private readonly workspace: Workspace,
    private readonly request: ImportRequest,
    private readonly complete: Completing<MediaWithCover>,
  ) {}

  async keepActive({ object, content }: ReceivedFile): Promise<MediaWithCover> {
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
    } catch (cause) {
      throw cause instanceof StorageFull ? invalid('url', cause.sentence) : cause;
    } finally {
      await object.discard();
    }
  }

  processing(type: MediaType | null): ProcessingMedia {
    const name = provisionalName(this.request.name, this.request.url, type);
    return beginImport(this.#details(name), this.ports.clock.now());
  }

  /** Stores a `processing` item and its job; `start` says when it is due, or under which lease. */
  async keep(
    item: ProcessingMedia,
    start: Parameters<Ports['imports']['add']>[2],
    attempts = 0,
  ): Promise<Pick<ImportJob, 'url' | 'attempts' | 'terms' | 'requestId'>> {
    const { url, terms, requestId } = this.request;
    const job = { url, attempts, terms, ...(requestId !== undefined && { requestId }) };
    const completion = this.complete?.({ item, cover: null });
    const kept = await this.ports.imports.add(item, job, start, completion);
    if (kept === 'folder_missing') throw noSuchFolder('folder_id');
    return job;
  }

  /** The item stays `processing` until all tries are used up. */
  async tryLater(message: string, mayRecover: boolean, retryDelays: readonly number[]): Promise<MediaWithCover> {
    const item = this.processing(null);
    const next = nextRetry(1, mayRecover, retryDelays);
    if (next) {
      await this.keep(item, { dueAt: this.ports.clock.now() + next.delay }, 1);
    } else {
      // Retrying is useless. The answer still says `processing`, as after every failed try, and the item fails now.
      const owner = `request ${item.id}`;
      await this.keep(item, { lease: { owner, until: this.ports.clock.now() + FAILING_TIME } }, 1);
      await failImport(this.ports, { mediaId: item.id }, owner, message);
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
