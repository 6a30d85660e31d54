/** What is being dragged, for the folder that it is dropped on. Drags stay within the page. */
export interface Dragged {
  /** Whether it would move there; null is the library's top. */
  canDropOn(folder: string | null): boolean;
  dropOn(folder: string | null, name: string): void;
}

/** The type by which folders know that they take what is dragged; what it is says {@link dragged}. */
export const DRAG_TYPE = 'application/x-postshelf';

let current: Dragged | null = null;

export const dragged = (): Dragged | null => current;

export function setDragged(what: Dragged | null): void {
  current = what;
}
