/** Before the client's keys, which pages of others may use themselves. */
const PREFIX = 'postshelf-unfinished:';

/** Milliseconds for which the service keeps an upload without new bytes. */
const LIFETIME = 24 * 60 * 60 * 1000;

/** Most uploads that the browser remembers. */
const MOST = 100;

/** Of the uploads of this page: the same file, added twice, is uploaded twice. */
const held = new Set<string>();

/**
 * The client's `store` for one file. `localStorage` has the upload's id and when it was last used, so that the same file
 * goes on after a reload; a page that may store nothing goes on after a pause.
 */
export class UnfinishedUpload {
  #key: string | null = null;
  #current: string | null = null;

  /** The item of the upload, also of one that failed; null before there is one. */
  id: string | null = null;

  getItem(key: string): string | null {
    if (this.#key === null && !held.has(key)) {
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

  /** Forgets the upload. */
  end(): void {
    if (this.#key === null) return;
    this.removeItem(this.#key);
    held.delete(this.#key);
    this.#key = null;
  }
}

function prune(): void {
  const oldest = Date.now() - LIFETIME;
  const entries = Object.keys(localStorage)
    .filter((key) => key.startsWith(PREFIX))
    .map((key) => ({ key, usedAt: Number(localStorage.getItem(key)?.split(' ')[1]) }))
    .sort((one, other) => other.usedAt - one.usedAt);
  for (const [nth, { key, usedAt }] of entries.entries()) {
    if (nth >= MOST || usedAt < oldest) localStorage.removeItem(key);
  }
}

/** Browsers throw where pages may store nothing, or nothing more. */
function tried<T>(act: () => T): T | null {
  try {
    return act();
  } catch {
    return null;
  }
}
