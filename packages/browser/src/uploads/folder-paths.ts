import type { PostshelfClient } from '@postshelf/client';
import { folderNameKey } from '@postshelf/domain/folders/folder-name';
import type { Destination } from './upload.ts';

/** Folders per page of the list: the service's maximum. */
const PER_PAGE = 100;

/**
 * Finds the folders of the library that correspond to dropped folders, by name, and creates the missing ones. Results
 * are cached.
 */
export class FolderPaths {
  readonly #known = new Map<string, Promise<string>>();

  constructor(private readonly client: PostshelfClient) {}

  /** @throws PostshelfError if a folder can't be read or created */
  async find({ workspace, folder }: Destination, path: readonly string[]): Promise<string | null> {
    let found = folder;
    for (const name of path) found = await this.#child(workspace, found, name);
    return found;
  }

  /** Clears the cache, because folders may have been deleted. */
  forget(): void {
    this.#known.clear();
  }

  #child(workspace: string, parent: string | null, name: string): Promise<string> {
    const key = JSON.stringify([workspace, parent, folderNameKey(name)]);
    const known = this.#known.get(key);
    if (known) return known;
    const asked = this.#findOrMake(workspace, parent, name);
    this.#known.set(key, asked);
    // A failure isn't cached: the folder is looked up again for the next file.
    asked.catch(() => this.#known.delete(key));
    return asked;
  }

  async #findOrMake(workspace: string, parent: string | null, name: string): Promise<string> {
    const there = await this.#find(workspace, parent, name);
    if (there !== null) return there;
    try {
      const { data } = await this.client.trpc.folders.create.mutate({ workspace, name, parent_id: parent });
      return data.id;
    } catch (error) {
      // Another client may have created the folder in the meantime.
      const meanwhile = await this.#find(workspace, parent, name);
      if (meanwhile === null) throw error;
      return meanwhile;
    }
  }

  async #find(workspace: string, parent: string | null, name: string): Promise<string | null> {
    const wanted = { workspace, parent_id: parent ?? 'root', per_page: PER_PAGE };
    for await (const { data } of this.client.pages(this.client.trpc.folders.list, wanted)) {
      const same = data.find((folder) => folderNameKey(folder.name) === folderNameKey(name));
      if (same) return same.id;
    }
    return null;
  }
}
