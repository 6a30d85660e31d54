import { createStore } from '@postshelf/browser/ui/store.ts';
import { PostshelfError } from '@postshelf/client';
import { checkSession, client, queryClient, sentenceOf, trpc } from '../service/service.ts';
import { addWork } from '../sessions/work-of-session.ts';

/** An import that is in progress or has failed. */
export interface Import {
  /** The id of the media item that the import creates. */
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly workspace: string;
  readonly folder: string | null;
  /** Why the import failed; null if it didn't. */
  readonly problem: string | null;
}

const imports = createStore<readonly Import[]>([]);

/** Returns the imports that are in progress or have failed. */
export const useImports = imports.use;

/**
 * Starts an import, and resolves once the service has accepted the URL. The item is then either complete, or still in
 * progress and in the list of imports.
 *
 * @returns the item's name if it is complete, or null
 * @throws PostshelfError
 */
export async function startImport(workspace: string, folder: string | null, url: string): Promise<string | null> {
  const item = await client.importUrl(workspace, url, { folder_id: folder });
  refreshLibrary();
  if (item.status === 'active') return item.name;
  imports.set([...imports.get(), { id: item.id, name: item.name, url, workspace, folder, problem: null }]);
  void follow(item.id);
  return null;
}

/** Imports the URL of a failed import again. The new import replaces the failed one in the list. */
export async function retryImport(id: string): Promise<void> {
  const failed = imports.get().find((one) => one.id === id);
  if (!failed || failed.problem === null) return;
  const show = (problem: string | null): void =>
    imports.set(imports.get().map((one) => (one.id === id ? { ...one, problem } : one)));
  show(null);
  try {
    await startImport(failed.workspace, failed.folder, failed.url);
  } catch (error) {
    if (error instanceof PostshelfError) checkSession(error);
    return show(sentenceOf(error));
  }
  imports.set(imports.get().filter((one) => one.id !== id));
  // Deletes the failed item, because a new one replaces it. If the deletion fails, users can delete the item in the
  // library.
  await client.trpc.media.delete.mutate({ id }).catch(() => {});
  refreshLibrary();
}

/** Waits until an import ends, and updates the list of imports. Stops when the page is closed. */
async function follow(id: string): Promise<void> {
  try {
    await client.waitUntilReady(id, { timeout: Number.POSITIVE_INFINITY });
    imports.set(imports.get().filter((one) => one.id !== id));
  } catch (error) {
    if (error instanceof PostshelfError) checkSession(error);
    const problem = sentenceOf(error);
    imports.set(imports.get().map((one) => (one.id === id ? { ...one, problem } : one)));
  }
  refreshLibrary();
}

export const forgetEndedImports = (): void => imports.set(imports.get().filter(({ problem }) => problem === null));

// Imports continue in the service when the page is closed, so they never count as unfinished work.
addWork({ isUnfinished: () => false, discard: () => imports.set([]) });

function refreshLibrary(): void {
  void queryClient.invalidateQueries({ queryKey: trpc.media.pathKey() });
}
