/** The media or the folder that is being dragged within the page. */
export interface DragSource {
  /** Whether the dragged media or folder may be moved to this folder; null is the library's root. */
  canDropOn(folder: string | null): boolean;
  dropOn(folder: string | null, name: string): void;
}

/** The drag type by which folders recognise drags within the page; {@link dragSource} returns what is dragged. */
export const DRAG_TYPE = 'application/x-postshelf';

let current: DragSource | null = null;

export const dragSource = (): DragSource | null => current;

export function setDragSource(what: DragSource | null): void {
  current = what;
}
