import {
  IMPORT_INTERRUPTED,
  type ImportJob,
  type ImportRelease,
  isImportGivenUp,
  type Lease,
  nextRetry,
  pauseAfterFault,
  RemoteError,
  type Uuid,
} from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import type { InspectedFile } from '../uploads/inspect.ts';
import { type MakeActivePorts, makeActive } from '../uploads/make-items.ts';
import { recordFailure } from '../uploads/record.ts';
import type { PendingUpload } from '../uploads/store.ts';
import { ImportRejected, type OpenPorts, openImport } from './open-import.ts';

export type AttemptPorts = MakeActivePorts & OpenPorts & Pick<Ports, 'workspaces' | 'imports'>;

type PendingImport = Extract<PendingUpload, { readonly kind: 'import' }>;

export interface Download {
  readonly file: Promise<InspectedFile>;
  /** Makes `file` fail. */
  abort(): void;
}

export interface ImportOutcome {
  readonly mediaId: Uuid;
  readonly outcome: 'active' | 'failed' | 'retry' | 'dropped' | 'fault';
  readonly cause?: unknown;
  readonly requestId?: string;
}

export interface AttemptOptions {
  readonly lease: () => Lease;
  readonly retryDelays: readonly number[];
  readonly onOutcome: (outcome: ImportOutcome) => void;
}

/** A worker's work on one job whose lease it holds: receives the file, and ends the job or releases it. */
export class ImportAttempt {
  readonly #stopping = new AbortController();
  #download: Download | null = null;
  /** Under the item's full name. */
  #mayHavePublished = false;

  constructor(
    private readonly ports: AttemptPorts,
    private readonly job: ImportJob,
    private readonly options: AttemptOptions,
  ) {}

  /**
   * @param adopted the download that a request began; null to begin one
   * @throws what the queue throws when it is unavailable: the lease then expires
   */
  async run(adopted: Download | null): Promise<void> {
    const { signal } = this.#stopping;
    try {
      if (isImportGivenUp(this.job.claims)) {
        await this.#fail(IMPORT_INTERRUPTED);
        return;
      }
      this.#download = adopted ?? startDownload(this.ports, this.job);
      if (signal.aborted) this.#download.abort();
      const file = await this.#download.file;
      try {
        this.#mayHavePublished = !signal.aborted;
        const done = !signal.aborted && (await this.#makeActive(file));
        if (!signal.aborted || done) this.report(done === 'full' ? 'failed' : done ? 'active' : 'dropped');
        else await this.giveUp();
      } finally {
        await file.object.discard();
      }
    } catch (cause) {
      if (signal.aborted) await this.giveUp();
      else await this.#afterFailure(cause);
    }
  }

  /** @returns whether the item is active now, not if it was deleted or the lease lost; `full`: it has failed */
  async #makeActive(file: InspectedFile): Promise<boolean | 'full'> {
    const { mediaId, claims, terms } = this.job;
    const item = (await this.ports.media.find(mediaId))?.item;
    if (item?.status !== 'processing') return false;
    const { owner } = this.options.lease();
    const record = recordImport(this.ports, mediaId, owner);
    const pending = { kind: 'import', item, claims, terms, record, renewLease: () => this.#renewLease() } as const;
    return makeActive(this.ports, pending, file, this.#stopping.signal);
  }

  /** One that expired before the database answered is lost. */
  async #renewLease(): Promise<boolean> {
    const { mediaId } = this.job;
    const lease = this.options.lease();
    const held = await this.ports.imports.renew([mediaId], lease);
    return held.has(mediaId) && this.ports.clock.now() < lease.until;
  }

  abort(): void {
    this.#stopping.abort();
    this.#download?.abort();
  }

  async giveUp(): Promise<void> {
    this.report('dropped');
    await this.#release(0, { attempts: this.job.attempts, ...this.#uncounted() });
  }

  report(outcome: ImportOutcome['outcome'], cause?: unknown): void {
    const { mediaId, requestId } = this.job;
    this.options.onOutcome({
      mediaId,
      outcome,
      ...(cause !== undefined && { cause }),
      ...(requestId !== undefined && { requestId }),
    });
  }

  async #afterFailure(cause: unknown): Promise<void> {
    const { retryDelays } = this.options;
    if (cause instanceof ImportRejected) return this.#fail(cause.message, cause);
    if (!(cause instanceof RemoteError)) {
      // An interruption, but not an attempt.
      this.report('fault', cause);
      const [first = 5000] = retryDelays;
      await this.#release(pauseAfterFault(this.job.claims, first), { attempts: this.job.attempts });
      return;
    }
    const attempts = this.job.attempts + 1;
    const { problem } = cause;
    const mayRecover = problem.kind === 'failed' && problem.mayRecover;
    const next = nextRetry(attempts, mayRecover, retryDelays);
    if (!next) return this.#fail(problem.message, cause);
    this.report('retry', cause);
    await this.#release(next.delay, { attempts, ...this.#uncounted() });
  }

  /**
   * The starts without this one, as nothing interrupted it; but it counts if it may have published the object, which
   * the next one knows by the number.
   */
  #uncounted(): Pick<ImportRelease, 'claims'> {
    return this.#mayHavePublished ? {} : { claims: this.job.claims - 1 };
  }

  async #fail(message: string, cause?: unknown): Promise<void> {
    const done = await failImport(this.ports, this.job, this.options.lease().owner, message);
    this.report(done ? 'failed' : 'dropped', cause);
  }

  async #release(delay: number, counts: Pick<ImportRelease, 'attempts' | 'claims'>): Promise<void> {
    const dueAt = this.ports.clock.now() + delay;
    await this.ports.imports.release(this.job.mediaId, this.options.lease().owner, { dueAt, ...counts });
  }
}

const recordImport =
  ({ imports }: Pick<Ports, 'imports'>, mediaId: Uuid, owner: string): PendingImport['record'] =>
  (decide) =>
    imports.finish(mediaId, owner, decide);

/** False when the item was deleted or the lease lost. */
export const failImport = (
  ports: Pick<Ports, 'imports' | 'clock'>,
  { mediaId }: Pick<ImportJob, 'mediaId'>,
  owner: string,
  message: string,
): Promise<boolean> => recordFailure(ports, { record: recordImport(ports, mediaId, owner) }, message);

function startDownload(ports: AttemptPorts, job: ImportJob): Download {
  const controller = new AbortController();
  const download = async (): Promise<InspectedFile> => {
    // A workspace that is being removed is not found.
    const workspace = (await ports.workspaces.find(job.workspaceId)) ?? { id: job.workspaceId, stripLocation: null };
    const opened = await openImport(ports, workspace, job, { signal: controller.signal });
    controller.signal.addEventListener('abort', () => opened.close());
    return opened.download();
  };
  return { file: download(), abort: () => controller.abort() };
}
