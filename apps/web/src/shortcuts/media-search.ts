/** Milliseconds in which the library's page is opened, and shows its search. */
const PATIENCE = 5000;

type Find = () => void;

let find: Find | null = null;
let wantedUntil = 0;

/**
 * Offers the search of a page, by a function that moves the focus to it.
 *
 * @returns withdraws the offer
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

/** Has the next search that is offered get the focus, if it is soon. */
export function awaitSearch(): void {
  wantedUntil = performance.now() + PATIENCE;
}

/**
 * Moves the focus to the search for media.
 *
 * @returns false if the page has none; then the next one that has it gets the focus, if it is shown soon
 */
export function focusSearch(): boolean {
  if (find === null) {
    awaitSearch();
    return false;
  }
  find();
  return true;
}
