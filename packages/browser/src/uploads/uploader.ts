import type { MediaItem, PostshelfClient, PostshelfError } from '@postshelf/client';
import { Uppy, type UppyFile } from '@uppy/core';
import { type Destination, type FileSource, isFinished, type Upload } from './upload.ts';
import { type UploadBody, type UploadMeta, UploadQueue } from './upload-queue.ts';

/**
 * Maximum number of files that are added together. Uppy compares each file with all others, so more files would block
 * the page.
 */
const BATCH = 20;

export interface UploaderOptions {
  /** Must have been created with `repeats: 0`, because the uploader retries by itself. */
  readonly client: PostshelfClient;
  /** Makes a call, and retries it with a new token if the token has expired. */
  attempt?<T>(call: () => Promise<T>): Promise<T>;
  onChange(uploads: readonly Upload[]): void;
  onDone(item: MediaItem): void;
  onRefused(error: PostshelfError): void;
}

/** Uppy without its info messages, because their timers outlive the instance. */
class QuietUppy extends Uppy<UploadMeta, UploadBody> {
  override info(): void {}
}

/** The uploads of a page; Uppy holds their state. */
export class Uploader {
  readonly #uppy: Uppy<UploadMeta, UploadBody>;
  readonly #sending: UploadQueue;
  #added = 0;

  constructor({ onChange, ...options }: UploaderOptions) {
    this.#uppy = new QuietUppy({
      // Each file gets a unique id, because Uppy's default ids would make it refuse a file that has the same name and
      // size as an earlier one.
      onBeforeFileAdded: (file) => ({ ...file, id: `upload-${++this.#added}` }),
      // Failures are shown next to the file, not logged.
      logger: { debug() {}, warn() {}, error() {} },
    });
    this.#uppy.use(UploadQueue, { attempt: (call) => call(), ...options });
    this.#sending = this.#uppy.getPlugin<UploadQueue>('UploadQueue') as UploadQueue;
    const shown = new WeakMap<object, Upload>();
    this.#uppy.on('state-update', (before, after) => {
      if (before.files === after.files) return;
      onChange(
        Object.values(after.files).map((file) => {
          // An unchanged file keeps its `Upload` object, so that only the rows of changed files are rendered.
          const upload = shown.get(file) ?? uploadOf(file);
          shown.set(file, upload);
          return upload;
        }),
      );
    });
  }

  /** Adds files in batches, so that the page stays responsive with thousands of them. */
  async add(sources: readonly FileSource[], destination: Destination): Promise<void> {
    for (let at = 0; at < sources.length; at += BATCH) {
      const known = this.#added;
      const some = sources.slice(at, at + BATCH);
      this.#uppy.addFiles(
        some.map(({ file, path }) => ({ name: file.name, data: file, meta: { destination, path, phase: 'checking' } })),
      );
      for (let number = known + 1; number <= this.#added; number += 1) this.#start(`upload-${number}`);
      await new Promise((resolve) => setTimeout(resolve));
    }
  }

  cancel(id: string): void {
    this.#sending.cancel(id);
  }

  /**
   * Pauses an upload. {@link retry} continues a large file where it stopped. After a reload of the page, the file has
   * to be added again first.
   */
  pause(id: string): void {
    this.#sending.pause(id);
  }

  retry(id: string): void {
    this.#start(id);
  }

  clearFinished(): void {
    const finished = this.#uppy.getFiles().filter(({ meta }) => isFinished(meta));
    this.#uppy.removeFiles(finished.map(({ id }) => id));
  }

  clear(): void {
    this.#uppy.cancelAll();
  }

  /** Ends the uploader, which can't be used afterwards. */
  end(): void {
    this.#uppy.destroy();
  }

  /** Starts one upload; Uppy's `upload()` would also retry all failed ones. */
  #start(id: string): void {
    // A failure is stored in the file's state.
    void this.#uppy.retryUpload(id);
  }
}

function uploadOf({ id, name, data, size, progress, error, meta }: UppyFile<UploadMeta, UploadBody>): Upload {
  const bytes = size ?? 0;
  const loaded = meta.phase === 'done' ? bytes : Number(progress.bytesUploaded);
  return {
    id,
    name,
    file: data instanceof Blob ? data : null,
    item: meta.phase === 'done' ? (meta.item ?? null) : null,
    size: bytes,
    loaded,
    phase: meta.phase,
    problem: meta.phase === 'failed' ? (error ?? null) : null,
    shortenedTo: meta.phase === 'done' ? (meta.shortenedTo ?? null) : null,
    canRetry: meta.phase === 'cancelled' || (meta.phase === 'failed' && meta.canRetry === true),
  };
}
