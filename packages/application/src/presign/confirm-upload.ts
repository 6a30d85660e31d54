import { invalid, type MediaWithCover, notFound, Refusal, type TemporaryMedia, type Uuid } from '@postshelf/domain';
import { findByAnyId } from '../duplicates/find-by-any-id.ts';
import { type ConfirmPorts, isUnfinished, settleUpload } from './settle-upload.ts';
import { withUploadLease } from './upload-lease.ts';

/** Milliseconds between two polls, and the maximum number of polls. */
const POLL_INTERVAL = 100;
const MAX_POLLS = 600;

/**
 * Confirms a presigned upload. If two calls are concurrent, one does the work and both get its result; a repeated call
 * changes nothing. For a duplicate, the existing item is the result.
 *
 * @param signal aborted when the caller has disconnected: the cover is then made later
 * @throws Refusal `invalid` on `file` if nothing was uploaded (the item stays `temporary`), if the file isn't what was
 *   announced (the item is `failed`), and for an item that isn't a presigned upload; `not_found` if it was deleted
 */
export async function confirmUpload(ports: ConfirmPorts, id: Uuid, signal?: AbortSignal): Promise<MediaWithCover> {
  for (let poll = 0; poll < MAX_POLLS; poll += 1) {
    const media = await findByAnyId(ports, id);
    if (!media) throw notFound();
    const { item } = media;
    if (item.status === 'active') return media;
    if (item.status === 'failed') throw invalid('file', item.errorMessage);
    if (item.status === 'processing') throw invalid('file', 'The media item was imported by URL, not uploaded.');
    const outcome = await tryToSettle(ports, item, signal);
    if (outcome === 'nothing') {
      // The file may be missing because the item was deleted meanwhile, which also removes the file.
      throw (await findByAnyId(ports, id)) ? invalid('file', 'No file has been uploaded yet.') : notFound();
    }
    if (outcome !== 'settled') await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL));
  }
  throw new Refusal({ code: 'unavailable', message: 'The upload is being confirmed. Try again later.' });
}

/**
 * Returns the state of a `temporary` item, so that a client can poll instead of confirming. If a file was sent, it is
 * first checked as in {@link confirmUpload}. Returns null if the item was deleted.
 */
export async function refreshUpload(
  ports: ConfirmPorts,
  item: TemporaryMedia,
  signal?: AbortSignal,
): Promise<MediaWithCover | null> {
  try {
    await tryToSettle(ports, item, signal);
  } catch (error) {
    // A busy service isn't an error here, because the client polls again.
    if (!(error instanceof Refusal && error.problem.code === 'busy')) throw error;
  }
  return findByAnyId(ports, item.id);
}

export async function tryToSettle(
  ports: ConfirmPorts,
  item: TemporaryMedia,
  signal?: AbortSignal,
): Promise<'settled' | 'nothing' | 'lost' | 'busy'> {
  if (await isUnfinished(ports, item.id)) return 'nothing';
  const settled = await withUploadLease(ports, item.id, (lease) => settleUpload(ports, item, lease, signal));
  return settled?.result ?? 'busy';
}
