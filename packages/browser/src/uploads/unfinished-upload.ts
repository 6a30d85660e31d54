/** Prefix of the keys in `localStorage`, so that they don't clash with keys of the page. */
const PREFIX = 'postshelf-unfinished:';

/** Milliseconds for which the service keeps an upload that receives no new bytes. */
const LIFETIME = 24 * 60 * 60 * 1000;

/** Maximum number of unfinished uploads that the browser stores. */
const MAX_STORED = 100;

/**
 * Keys that uploads of this page are using. If a file is added twice, the second upload doesn't continue the first. For
 * other pages, {@link hold} does the same.
 */
const held = new Set<string>();

/**
 * The `store` option of the client for one file. The upload's id and the time of its last use are kept in
 * `localStorage`, so that the upload can continue after a reload. Without `localStorage`, it can continue after a
 * pause, but not after a reload.
 */
export class UnfinishedUpload {
  #key: string | null = null;
  #current: string | null = null;
  #hold: Promise<Hold> | null = null;
  #mayStore = true;

  /** The id of the upload's item, even if the upload failed; null before it is created. */
  id: string | null = null;

  /**
   * Reserves the stored upload of the file for this page. If another page is uploading the file, this upload starts anew
   * and isn't stored: sharing one upload, each page would delete what the other sends when it is cancelled.
   */
  async reserve(workspace: string, { name, size, lastModified }: File): Promise<void> {
    this.#hold ??= hold([PREFIX, workspace, name, size, lastModified].join(' '));
    this.#mayStore = (await this.#hold) !== 'by another';
  }

  getItem(key: string): string | null {
    if (this.#mayStore && this.#key === null && !held.has(key)) {
      held.add(key);
      this.#key = key;
      const [id] = tried(() => localStorage.getItem(PREFIX + key))?.split(' ') ?? [];
      if (id) this.setItem(key, id);
    }
    return this.#current;
  }

  setItem(key: string, id: string): void {
    this.id = id;
    this.#current = id;
    if (this.#key !== key) return;
    tried(() => {
      localStorage.setItem(PREFIX + key, `${id} ${Date.now()}`);
      prune();
    });
  }

  removeItem(key: string): void {
    this.#current = null;
    if (this.#key === key) tried(() => localStorage.removeItem(PREFIX + key));
  }

  /** Removes the stored upload. */
  end(): void {
    void this.#hold?.then((release) => release !== 'by another' && release());
    this.#hold = null;
    if (this.#key === null) return;
    this.removeItem(this.#key);
    held.delete(this.#key);
    this.#key = null;
  }
}

/** A function that ends the hold. */
type Hold = (() => void) | 'by another';

/**
 * Holds a name until it is released or the page is closed, if no page of this origin holds it. Pages over plain HTTP
 * have no locks, so there every page may hold it.
 */
function hold(name: string): Promise<Hold> {
  const { locks }: { readonly locks?: LockManager } = navigator;
  return new Promise((resolve) => {
    const everybody = (): void => resolve(() => undefined);
    if (!locks) return everybody();
    locks
      .request(name, { ifAvailable: true }, (lock) =>
        lock ? new Promise<void>((release) => resolve(release)) : resolve('by another'),
      )
      // The page is in a frame that may not store anything.
      .catch(everybody);
  });
}

function prune(): void {
  const oldest = Date.now() - LIFETIME;
  const entries = Object.keys(localStorage)
    .filter((key) => key.startsWith(PREFIX))
    .map((key) => ({ key, usedAt: Number(localStorage.getItem(key)?.split(' ')[1]) }))
    .sort((one, other) => other.usedAt - one.usedAt);
  for (const [nth, { key, usedAt }] of entries.entries()) {
    if (nth >= MAX_STORED || usedAt < oldest) localStorage.removeItem(key);
  }
}

/** Accesses `localStorage`, and returns the result; null if the page isn't allowed to use it, or it is full. */
function tried<T>(act: () => T): T | null {
  try {
    return act();
  } catch {
    return null;
  }
}
