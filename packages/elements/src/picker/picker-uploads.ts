import { formatNumber } from '@postshelf/browser/ui/format-number.ts';
import { createStore } from '@postshelf/browser/ui/store.ts';
import type { Destination, FileSource, Kind, Upload } from '@postshelf/browser/uploads/upload.ts';
import type { Uploader } from '@postshelf/browser/uploads/uploader.ts';
import type { MediaItem, PostshelfClient } from '@postshelf/client';

export interface PickerUploadsOptions {
  /** A client without automatic retries (`repeats: 0`). */
  readonly client: PostshelfClient;
  /** Makes a call, and retries it with a new token if the token has expired. */
  attempt<T>(call: () => Promise<T>): Promise<T>;
  onDone(item: MediaItem): void;
}

/** Maximum number of files in the list: as many as the page can handle, and more than a user drops on purpose. */
const MAX_UPLOADS = 1000;

/** One picker's uploads. The uploader is loaded when the first file is added. */
export class PickerUploads {
  readonly list = createStore<readonly Upload[]>([]);
  #loading: Promise<Uploader> | null = null;
  #isOver = false;

  constructor(private readonly options: PickerUploadsOptions) {}

  /**
   * @param kind the only kind that is accepted; null for both
   * @throws Error if there are too many files, or the uploader can't be loaded
   */
  async add(sources: readonly FileSource[], destination: Destination, kind: Kind | null): Promise<void> {
    if (sources.length === 0) return;
    if (this.list.get().length + sources.length > MAX_UPLOADS) {
      throw new Error(`At most ${formatNumber(MAX_UPLOADS)} files can be uploaded at once.`);
    }
    const uploader = await this.#uploader();
    if (!this.#isOver) await uploader.add(sources, { ...destination, kind });
  }

  readonly cancel = (id: string): void => void this.#loading?.then((uploader) => uploader.cancel(id));
  readonly pause = (id: string): void => void this.#loading?.then((uploader) => uploader.pause(id));
  readonly retry = (id: string): void => void this.#loading?.then((uploader) => uploader.retry(id));
  readonly clearFinished = (): void => void this.#loading?.then((uploader) => uploader.clearFinished());

  /** Aborts unfinished uploads. */
  end(): void {
    this.#isOver = true;
    void this.#loading?.then((uploader) => uploader.end()).catch(() => {});
  }

  #uploader(): Promise<Uploader> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = null;
      throw error;
    });
    return this.#loading;
  }

  async #load(): Promise<Uploader> {
    const { Uploader } = await import('@postshelf/browser/uploads/uploader.ts');
    return new Uploader({
      ...this.options,
      // No message is needed, because the query of the media list fails as well and shows the error.
      onRefused() {},
      onChange: this.list.set,
    });
  }
}
