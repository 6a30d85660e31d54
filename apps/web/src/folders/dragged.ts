/** What is being dragged within the page, for the folder that it is dropped on. */
export interface Dragged {
  /** Whether it may move there; null is the library's top. */
  canDropOn(folder: string | null): boolean;
  dropOn(folder: string | null, name: string): void;
}

/** The drag type by which folders recognise items; {@link dragged} tells which they are. */
export const DRAG_TYPE = 'application/x-postshelf';

let current: Dragged | null = null;

export const dragged = (): Dragged | null => current;

export function setDragged(what: Dragged | null): void {
  current = what;
}
