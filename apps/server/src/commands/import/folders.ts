import { folderNameKey } from '@postshelf/domain';
import { FolderGone, type Library } from './library.ts';
import { NotTaken } from './patience.ts';

/** The parent of top-level folders: the root of the library has no id. */
const ROOT = '';

/**
 * Finds the folders of a workspace by their names, and creates missing ones. Names of sibling folders must not differ
 * only in case, so `A` and `a` in a source become one folder.
 */
export class Folders {
  /** Ids of existing folders, by parent and then by {@link folderNameKey}. */
  #known: Promise<Map<string, Map<string, string>>> | null = null;
  /** Folders that are being created, so that each is created once. */
  readonly #making = new Map<string, Promise<string>>();

  constructor(private readonly library: Library) {}

  /**
   * Finds or creates a folder by its path.
   *
   * @param names the names on the path, from the root down
   * @returns the id of the last folder; null for the root
   */
  async of(names: readonly string[]): Promise<string | null> {
    let parent = ROOT;
    for (const name of names) parent = await this.#child(parent, name);
    return parent === ROOT ? null : parent;
  }

  /** Clears the known folders, so that they are read again. */
  clear(): void {
    this.#known = null;
  }

  async #child(parent: string, name: string): Promise<string> {
    const key = folderNameKey(name);
    const found = (await this.#read()).get(parent)?.get(key);
    if (found !== undefined) return found;
    const place = `${parent}/${key}`;
    const making = this.#making.get(place) ?? this.#make(parent, name);
    this.#making.set(place, making);
    return making.finally(() => this.#making.delete(place));
  }

  async #make(parent: string, name: string): Promise<string> {
    const { client, workspace } = this.library;
    const input = { workspace, name, parent_id: parent || null };
    try {
      const { data } = await this.library.asking(() => client.trpc.folders.create.mutate(input));
      remember(await this.#read(), parent, name, data.id);
      return data.id;
    } catch (error) {
      if (!(error instanceof NotTaken)) throw error;
      // Another client may have created the folder in the meantime.
      this.clear();
      const found = (await this.#read()).get(parent)?.get(folderNameKey(name));
      if (found !== undefined) return found;
      throw error.message.includes('parent id') ? new FolderGone(error.message) : error;
    }
  }

  #read(): Promise<Map<string, Map<string, string>>> {
    this.#known ??= this.#readAll();
    return this.#known;
  }

  async #readAll(): Promise<Map<string, Map<string, string>>> {
    const { client, workspace } = this.library;
    const known = new Map<string, Map<string, string>>();
    for (let page = 1; ; page += 1) {
      const input = { workspace, per_page: 100, page };
      const { data, links } = await this.library.asking(() => client.trpc.folders.list.query(input));
      for (const { id, name, parent_id } of data) remember(known, parent_id ?? ROOT, name, id);
      if (links.next === null) return known;
    }
  }
}

function remember(known: Map<string, Map<string, string>>, parent: string, name: string, id: string): void {
  const siblings = known.get(parent) ?? new Map<string, string>();
  known.set(parent, siblings.set(folderNameKey(name), id));
}
