/** What is being dragged within the page. */
export interface Dragged {
  /** Whether it may be moved to this folder; null is the library's root. */
  canDropOn(folder: string | null): boolean;
  dropOn(folder: string | null, name: string): void;
}

/** The drag type by which folders recognise what is dragged within the page; {@link dragged} returns it. */
export const DRAG_TYPE = 'application/x-postshelf';

let current: Dragged | null = null;

export const dragged = (): Dragged | null => current;

export function setDragged(what: Dragged | null): void {
  current = what;
}
