import { plural } from '@postshelf/browser/ui/format-number.ts';

const meta = document.querySelector<HTMLMetaElement>('meta[name="postshelf-undo-days"]');

/**
 * Days for which deleted media can be restored; 0 if they can't be restored. The service writes the number into the
 * page.
 */
export const UNDO_DAYS = Number(meta?.content ?? 30);

/** @param what "it" or "them" */
export const afterDeleting = (what: string): string =>
  UNDO_DAYS === 0 ? 'This can’t be undone.' : `The trash keeps ${what} for ${plural(UNDO_DAYS, 'day')}.`;
