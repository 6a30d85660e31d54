import { formatNumber } from '@postshelf/browser/ui/format-number.ts';
import { createStore } from '@postshelf/browser/ui/store.ts';
import { type Destination, type FileSource, isFinished, type Upload } from '@postshelf/browser/uploads/upload.ts';
import type { Uploader } from '@postshelf/browser/uploads/uploader.ts';
import { createPostshelfClient } from '@postshelf/client';
import { root } from '../service/root.ts';
import { checkSession, queryClient, trpc } from '../service/service.ts';
import { addWork } from '../sessions/work-of-session.ts';
import { lookForOriginal } from './duplicates.ts';

/** Maximum number of files in the list: as many as the page can handle, and more than a user drops on purpose. */
const MAX_UPLOADS = 10_000;

/** Minimum milliseconds between two refreshes of the library for new uploads. */
const REFRESH_INTERVAL = 1000;

const uploads = createStore<readonly Upload[]>([]);

/** Returns the uploads of this tab. */
export const useUploads = uploads.use;

const hasUnfinished = (): boolean => uploads.get().some((upload) => !isFinished(upload));

let loading: Promise<Uploader> | null = null;

/** This message replaces the browser's own, which only names the module that couldn't be loaded. */
const NOT_LOADED =
  'Can’t reach the server, so the files weren’t added. Once it answers, reload the page and add them again.';

/**
 * Returns the uploader. Its code is loaded by {@link preloadUploader} or the first upload.
 *
 * @throws if it can't be loaded; the next call tries again
 */
function uploader(): Promise<Uploader> {
  loading ??= load().catch((error: unknown) => {
    loading = null;
    throw error;
  });
  return loading;
}

/**
 * Preloads the uploader's code, so that files can be added even while the service is unreachable. Their upload begins
 * once it is reachable again.
 */
export function preloadUploader(): void {
  // If this fails, the first upload loads the code, and reports an error if that fails as well.
  uploader().catch(() => {});
}

async function load(): Promise<Uploader> {
  const { Uploader } = await import('@postshelf/browser/uploads/uploader.ts').catch((cause: unknown) => {
    throw new Error(NOT_LOADED, { cause });
  });
  return new Uploader({
    client: createPostshelfClient({ baseUrl: root, token: null, repeats: 0 }),
    onChange(changed) {
      uploads.set(changed);
      guardPage();
    },
    onDone(item) {
      refreshLibrary();
      lookForOriginal(item);
    },
    onRefused: checkSession,
  });
}

/** Adds files to the uploads. @throws Error if there are too many files, or the uploader can't be loaded */
export async function addUploads(sources: readonly FileSource[], destination: Destination): Promise<void> {
  if (sources.length === 0) return;
  if (uploads.get().length + sources.length > MAX_UPLOADS) {
    throw new Error(`At most ${formatNumber(MAX_UPLOADS)} files can be uploaded at once.`);
  }
  await (await uploader()).add(sources, destination);
}

export const cancelUpload = async (id: string): Promise<void> => (await uploader()).cancel(id);
export const pauseUpload = async (id: string): Promise<void> => (await uploader()).pause(id);
export const retryUpload = async (id: string): Promise<void> => (await uploader()).retry(id);
export const clearFinished = async (): Promise<void> => (await uploader()).clearFinished();

addWork({
  isUnfinished: hasUnfinished,
  async discard() {
    if (loading) (await loading).clear();
  },
});

/** Makes the browser ask for confirmation before a page with unfinished uploads is left. */
function guardPage(): void {
  if (hasUnfinished()) addEventListener('beforeunload', stay);
  else removeEventListener('beforeunload', stay);
}

const stay = (event: BeforeUnloadEvent): void => event.preventDefault();

let news: ReturnType<typeof setTimeout> | null = null;
let isNewsDue = false;

/** Refreshes the library after an upload, but at most once a second. */
function refreshLibrary(): void {
  isNewsDue = true;
  if (news !== null) return;
  isNewsDue = false;
  void queryClient.invalidateQueries({ queryKey: trpc.media.pathKey() });
  void queryClient.invalidateQueries({ queryKey: trpc.folders.pathKey() });
  news = setTimeout(() => {
    news = null;
    if (isNewsDue) refreshLibrary();
  }, REFRESH_INTERVAL);
}
