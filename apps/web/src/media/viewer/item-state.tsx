import type { MediaItem } from '@postshelf/client';

/** Texts in place of an image, by the item's status. */
const WAITING = {
  processing: 'Processing. It’ll appear here when it’s ready.',
  temporary: 'The upload hasn’t been confirmed yet.',
} as const;
const BEING_FITTED = 'Being made from the original. It’ll appear here when it’s ready.';

/** The text for an item that has no image. */
export function ItemState({ item: { status, details, error_message } }: { readonly item: MediaItem }) {
  if (status === 'processing' || status === 'temporary') {
    return (
      <p className="viewer-text" role="status" data-status={status}>
        {details?.source ? BEING_FITTED : WAITING[status]}
      </p>
    );
  }
  if (status !== 'failed') return null;
  return (
    <p className="viewer-text" data-status="failed" role="alert">
      <strong>Failed</strong>
      {error_message}
    </p>
  );
}
