/** Days for which a deleted item can be restored, unless the operator sets another number. */
export const DEFAULT_UNDO_DAYS = 30;

/** Width in pixels of the preview of a deleted item, as wide as a tile in the trash. */
export const TRASH_PREVIEW_WIDTH = 320;
