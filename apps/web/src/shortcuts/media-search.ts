/** Maximum milliseconds to wait until the library's page has opened and shows its search field. */
const PATIENCE = 5000;

type Find = () => void;

let find: Find | null = null;
let wantedUntil = 0;

/**
 * Registers a function that moves the focus to the page's search field.
 *
 * @returns a function that unregisters it
 */
export function offerSearch(offered: Find): () => void {
  find = offered;
  if (performance.now() < wantedUntil) {
    wantedUntil = 0;
    offered();
  }
  return () => {
    if (find === offered) find = null;
  };
}

/** Moves the focus to the next search field that is registered within {@link PATIENCE}. */
export function awaitSearch(): void {
  wantedUntil = performance.now() + PATIENCE;
}

/**
 * Moves the focus to the search field for media.
 *
 * @returns false if the page has no such field; the next one gets the focus, as by {@link awaitSearch}
 */
export function focusSearch(): boolean {
  if (find === null) {
    awaitSearch();
    return false;
  }
  find();
  return true;
}
