import type { PostshelfClient } from '@postshelf/client';
import type { Target } from './upload.ts';

/** Folders on one page of the list: the most that the service gives. */
const PER_PAGE = 100;

/**
 * Finds the folders that dropped ones stand for, and makes those that aren't there. One of a name that is there already is
 * the same folder. What was found is remembered, as hundreds of files ask for the same.
 */
export class FolderPaths {
  readonly #known = new Map<string, Promise<string>>();

  constructor(private readonly client: PostshelfClient) {}

  /** The folder at the end of the path. @throws PostshelfError with the service's reason not to make one */
  async find({ workspace, folder }: Target, path: readonly string[]): Promise<string | null> {
    let found = folder;
    for (const name of path) found = await this.#child(workspace, found, name);
    return found;
  }

  /** What was remembered may have been deleted meanwhile. */
  forget(): void {
    this.#known.clear();
  }

  #child(workspace: string, parent: string | null, name: string): Promise<string> {
    const key = JSON.stringify([workspace, parent, keyOf(name)]);
    const known = this.#known.get(key);
    if (known) return known;
    const asked = this.#findOrMake(workspace, parent, name);
    this.#known.set(key, asked);
    // A failure isn't remembered: the next file asks again.
    asked.catch(() => this.#known.delete(key));
    return asked;
  }

  async #findOrMake(workspace: string, parent: string | null, name: string): Promise<string> {
    const there = await this.#look(workspace, parent, name);
    if (there !== null) return there;
    try {
      const { data } = await this.client.trpc.folders.create.mutate({ workspace, name, parent_id: parent });
      return data.id;
    } catch (error) {
      // Somebody was quicker, or a former try of ours whose answer was lost.
      const meanwhile = await this.#look(workspace, parent, name);
      if (meanwhile === null) throw error;
      return meanwhile;
    }
  }

  async #look(workspace: string, parent: string | null, name: string): Promise<string | null> {
    const wanted = { workspace, parent_id: parent ?? 'root', per_page: PER_PAGE };
    for await (const { data } of this.client.pages(this.client.trpc.folders.list, wanted)) {
      const same = data.find((folder) => keyOf(folder.name) === keyOf(name));
      if (same) return same.id;
    }
    return null;
  }
}

/** Siblings are the same in this, near enough to find one; whether a name is free the service says. */
const keyOf = (name: string): string => name.trim().normalize('NFC').toLowerCase();
