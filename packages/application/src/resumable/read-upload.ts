import { notFound, parseUuid, type ResumableUpload, type Uuid, versionOfMedia } from '@postshelf/domain';
import { findByAnyId } from '../duplicates/find-by-any-id.ts';
import { deleteMedia } from '../media/delete-media.ts';
import type { Ports } from '../ports.ts';
import { tryToSettle } from '../presign/confirm-upload.ts';
import type { ConfirmPorts } from '../presign/settle-upload.ts';
import { type Caller, requireEntry } from '../tokens/permissions.ts';
import { unlessChanged } from '../unless-changed.ts';
import { locked } from './append-upload.ts';

/**
 * Finds the upload that a path names.
 *
 * @throws Refusal `not_found` if the id is malformed or unknown, or the caller can't enter the upload's workspace
 */
export async function findResumable(
  { resumable }: Pick<Ports, 'resumable'>,
  caller: Caller,
  id: string,
): Promise<ResumableUpload> {
  const uuid = parseUuid(id);
  const found = uuid && (await resumable.find(uuid));
  if (!found) throw notFound();
  requireEntry(caller, found.workspaceId);
  return found;
}

/** The progress of an unfinished upload, or the result of a settled one. */
export type UploadState =
  | { readonly is: 'unfinished'; readonly received: number }
  /** `mediaId` is the item to use: an existing item if the file was a duplicate. */
  | { readonly is: 'active'; readonly mediaId: Uuid }
  | { readonly is: 'failed'; readonly reason: string };

/**
 * Returns the result of a settled upload; null if it isn't settled.
 *
 * @throws Refusal `not_found` if the item was deleted
 */
export async function outcomeOf(
  ports: Parameters<typeof findByAnyId>[0],
  { id }: ResumableUpload,
): Promise<Exclude<UploadState, { is: 'unfinished' }> | null> {
  const media = await findByAnyId(ports, id);
  if (!media) throw notFound();
  const { item } = media;
  if (item.status === 'active') return { is: 'active', mediaId: item.id };
  return item.status === 'failed' ? { is: 'failed', reason: item.errorMessage } : null;
}

/**
 * Returns the state of an upload. Before that, ends the lease of a silent writer, so that the client can continue at
 * the returned offset, and settles a complete file that a killed process left unsettled.
 *
 * @throws Refusal `locked` while another request writes or settles, `not_found` if the item was deleted
 */
export async function readUpload(
  ports: ConfirmPorts,
  upload: ResumableUpload,
  signal?: AbortSignal,
): Promise<UploadState> {
  const { id, size } = upload;
  const outcome = await outcomeOf(ports, upload);
  if (outcome) return outcome;
  if (!(await ports.resumable.endSilent(id, ports.clock.now()))) throw locked();
  const received = (await ports.resumable.find(id))?.received ?? upload.received;
  if (received < size) return { is: 'unfinished', received };
  const item = (await ports.media.find(id))?.item;
  if (item?.status === 'temporary') await tryToSettle(ports, item, signal);
  const settled = await outcomeOf(ports, upload);
  if (!settled) throw locked();
  return settled;
}

/** Deletes an upload with its item and its bytes. If the upload was already settled, only its result is deleted. */
export async function endUpload(
  ports: Pick<Ports, 'resumable'> & Parameters<typeof deleteMedia>[0],
  { id }: ResumableUpload,
  onLeftOver: (fullName: string, cause: unknown) => void,
): Promise<void> {
  for (;;) {
    const found = await ports.media.find(id);
    if (found?.item.status !== 'temporary') break;
    // If the item was settled meanwhile, it stays. If something else about it was changed, such as its label, the
    // deletion is tried again.
    if ((await deleteMedia(ports, found.item, onLeftOver, [versionOfMedia(found)]).catch(unlessChanged)) !== null)
      break;
  }
  await ports.resumable.remove(id);
}
