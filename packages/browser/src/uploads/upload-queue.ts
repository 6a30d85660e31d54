import { type MediaItem, type PostshelfClient, PostshelfError } from '@postshelf/client';
import { BasePlugin, type Uppy } from '@uppy/core';
import pLimit from 'p-limit';
import { refuseFile } from './check-file.ts';
import { FolderPaths } from './folder-paths.ts';
import { mayPass } from './retry.ts';
import { sendFile } from './send-file.ts';
import { UnfinishedUpload } from './unfinished-upload.ts';
import type { Destination, Phase } from './upload.ts';

/**
 * Number of files that are checked concurrently, and number that are sent concurrently. Browsers open at most six
 * connections to a host.
 */
const CHECK_CONCURRENCY = 8;
const SEND_CONCURRENCY = 3;

export type UploadMeta = {
  readonly destination: Destination;
  readonly path: readonly string[];
  readonly phase: Phase;
  /** Whether retrying a failed upload may succeed. */
  readonly canRetry?: boolean;
  /** The item's name in the library, if the file's name was too long. */
  readonly shortenedTo?: string;
  /** The item in the library. */
  readonly item?: MediaItem;
};

/** Abort reason of an upload that continues later. */
const PAUSED = Symbol('paused');

export type UploadBody = Record<string, never>;

interface Options {
  readonly id?: string;
  readonly client: PostshelfClient;
  /** Makes a call, and retries it with a new token if the token has expired. */
  attempt<T>(call: () => Promise<T>): Promise<T>;
  onDone(item: MediaItem): void;
  onRefused(error: PostshelfError): void;
}

/**
 * Uppy plugin that uploads to the service: checks files, recreates dropped folders, and chooses the upload method by
 * the file's size.
 */
export class UploadQueue extends BasePlugin<Options, UploadMeta, UploadBody> {
  readonly #running = new Map<string, AbortController>();
  readonly #unfinished = new Map<string, UnfinishedUpload>();
  readonly #checks = pLimit(CHECK_CONCURRENCY);
  readonly #turns = pLimit(SEND_CONCURRENCY);
  readonly #folders: FolderPaths;

  constructor(uppy: Uppy<UploadMeta, UploadBody>, options: Options) {
    super(uppy, options);
    this.id = 'UploadQueue';
    this.type = 'uploader';
    this.#folders = new FolderPaths(options.client);
  }

  override install(): void {
    this.uppy.addUploader(async (ids) => {
      await Promise.all(ids.map((id) => this.#upload(id)));
    });
    this.uppy.on('file-removed', ({ id }) => this.cancel(id));
  }

  /** Interrupts an upload, so that a retry can continue it. Does nothing if the file isn't being uploaded. */
  pause(id: string): void {
    this.#running.get(id)?.abort(PAUSED);
  }

  /** Cancels an upload, even if it is paused; does nothing if it has ended. */
  cancel(id: string): void {
    this.#running.get(id)?.abort();
    if (this.#running.has(id)) return;
    this.#giveUp(id);
    if (this.uppy.getFile(id)?.meta.phase === 'paused') this.#setPhase(id, 'cancelled');
  }

  async #upload(id: string): Promise<void> {
    const controller = new AbortController();
    this.#running.set(id, controller);
    // Cached folders may have been deleted since the last upload.
    if (this.#running.size === 1) this.#folders.forget();
    try {
      const item = await Promise.race([this.#work(id, controller.signal), aborted(controller.signal)]);
      this.#unfinished.get(id)?.end();
      this.#unfinished.delete(id);
      this.#noteName(id, item.name);
      this.uppy.setFileMeta(id, { item } as UploadMeta);
      this.#setPhase(id, 'done');
      this.uppy.emit('upload-success', this.uppy.getFile(id), { status: 201 });
      this.opts.onDone(item);
    } catch (error) {
      const { aborted: isAborted, reason } = controller.signal;
      const stopped = reason === PAUSED ? 'paused' : 'cancelled';
      this.#setPhase(id, isAborted ? stopped : 'failed', mayPass(error));
      if (isAborted ? reason !== PAUSED : !mayPass(error)) this.#giveUp(id);
      const message = isAborted ? `The upload was ${stopped}.` : sentenceOf(error);
      this.uppy.emit('upload-error', this.uppy.getFile(id), { name: 'UploadError', message });
      if (error instanceof PostshelfError && error.code === 'refused') this.opts.onRefused(error);
    } finally {
      this.#running.delete(id);
    }
  }

  async #work(id: string, signal: AbortSignal): Promise<MediaItem> {
    const { data, meta, size } = this.uppy.getFile(id);
    const file = data as File;
    this.#setPhase(id, 'checking');
    const problem = await this.#checks(() => refuseFile(file, meta.destination.kind));
    if (problem !== null) throw new Error(problem);
    signal.throwIfAborted();
    this.#setPhase(id, 'waiting');
    return this.#turns(() => {
      signal.throwIfAborted();
      const { client, attempt } = this.opts;
      const unfinished = this.#unfinished.get(id) ?? new UnfinishedUpload();
      this.#unfinished.set(id, unfinished);
      return sendFile(
        { client, folders: this.#folders, attempt },
        {
          source: { file, path: meta.path },
          destination: meta.destination,
          unfinished,
          signal,
          onStart: () => {
            this.#setPhase(id, 'sending');
            this.uppy.emit('upload-start', [this.uppy.getFile(id)]);
          },
          onProgress: (bytesUploaded) => {
            const uploadStarted = Date.now();
            const progress = { uploadStarted, bytesUploaded, bytesTotal: size };
            this.uppy.emit('upload-progress', this.uppy.getFile(id), progress);
          },
          onWait: (reason) => this.#setPhase(id, reason),
        },
      );
    });
  }

  /** Forgets a file's unfinished upload, and deletes its item, which may exist even if the file was refused. */
  #giveUp(id: string): void {
    const unfinished = this.#unfinished.get(id);
    unfinished?.end();
    // If the deletion fails, the service deletes the item after a day.
    if (unfinished?.id) this.opts.client.trpc.media.delete.mutate({ id: unfinished.id }).catch(() => {});
    this.#unfinished.delete(id);
  }

  #noteName(id: string, name: string): void {
    const file = this.uppy.getFile(id);
    if (file && isShortened(file.name, name)) this.uppy.setFileMeta(id, { shortenedTo: name } as UploadMeta);
  }

  #setPhase(id: string, phase: Phase, canRetry = false): void {
    if (this.uppy.getFile(id)) this.uppy.setFileMeta(id, { phase, canRetry } as UploadMeta);
  }
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

/** Returns the error message, with "file" in place of the service's field name `files.0`. */
function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const details = error instanceof PostshelfError ? Object.values(error.errors).flat() : [];
  const sentence = details.length > 0 ? details.join(' ') : error.message;
  return sentence.replace(/\bThe files\.0(?:\.\w+)?(?: field)? /g, 'The file ');
}

/** Returns a name without its extension, and without the spaces and dots that the service removes from its end. */
const stemOf = (name: string): string =>
  name
    .normalize('NFC')
    .replace(/\.[^.]*$/, '')
    .trimEnd()
    .replace(/[\s.]{1,100}$/, '');

/**
 * Whether the library shortened the file's name because it was too long. Other changes, such as a different extension,
 * don't count.
 */
export function isShortened(file: string, stored: string): boolean {
  const [whole, kept] = [stemOf(file), stemOf(stored)];
  return whole.length > kept.length && whole.startsWith(kept);
}
