/**
 * Returns what this browser stores under a key; null if there is nothing, if another version stored something that isn't
 * JSON, or if the page may not use the storage, as in some private windows.
 */
export function readStored(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null');
  } catch {
    return null;
  }
}

/**
 * Stores a value under a key in this browser, or removes the key if the value is null. Does nothing if the storage is
 * full or forbidden: what pages store there is only convenient.
 */
export function store(key: string, value: unknown): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // The value is lost when the page is left.
  }
}
