import {
  type AnnouncedUpload,
  DAMAGED_UPLOAD,
  fail,
  isAsDeclared,
  type StagedObject,
  type TemporaryMedia,
  WRONG_HASH_UPLOAD,
  wrongSizeMessage,
  wrongTypeMessage,
} from '@postshelf/domain';
import { hashUpload } from '../duplicates/hash-upload.ts';
import { stripLocation } from '../location/strip-location.ts';
import type { InspectPorts, ReceivedFile } from '../media/inspect-staged.ts';
import { makeActive, type PendingItem } from '../media/make-active.ts';
import type { Ports } from '../ports.ts';
import type { UploadLease } from './upload-lease.ts';

export type ConfirmPorts = Pick<
  Ports,
  | 'workspaces'
  | 'presign'
  | 'presignStorage'
  | 'media'
  | 'duplicates'
  | 'covers'
  | 'digest'
  | 'shares'
  | 'clock'
  | 'ids'
> &
  InspectPorts;

/**
 * Checks the file that was uploaded for an item, under the lease that the caller holds. The item becomes `active` if
 * the bytes are as announced (without coordinates if the workspace wants that), an alias if they duplicate an item that
 * is to be returned instead, else `failed`. Returns `nothing` if no file was sent, and `lost` if the lease was lost
 * meanwhile: item and upload are then left to its next owner.
 *
 * @param signal aborted when the caller has gone: the cover is then made in the background
 */
export async function settleUpload(
  ports: ConfirmPorts,
  item: TemporaryMedia,
  lease: UploadLease,
  signal?: AbortSignal,
): Promise<'settled' | 'nothing' | 'lost'> {
  const presigned = await ports.presign.find(item.id);
  if (!presigned) return 'settled';
  const upload = await ports.presignStorage.take(item.id);
  if (!upload) return 'nothing';
  let isOurs = false;
  let read: ReceivedFile | Problem | null = null;
  try {
    read = await readUpload(ports, item, presigned, upload, signal);
    if ('problem' in read) isOurs = await reject(ports, item, lease, read.problem);
    else isOurs = await keep(ports, item, presigned, lease, read, signal);
  } finally {
    if (read && 'object' in read) await read.object.discard();
    await upload.discard();
  }
  if (!isOurs) return 'lost';
  // The upload is no longer needed, whether published or refused. After a crash garbage collection removes it.
  await ports.presignStorage.remove(item.id);
  return 'settled';
}

interface Problem {
  readonly problem: string;
}

/** The file to store: the upload itself, or a copy without its coordinates. */
async function readUpload(
  ports: ConfirmPorts,
  { workspaceId }: TemporaryMedia,
  presigned: AnnouncedUpload,
  upload: StagedObject,
  signal: AbortSignal = new AbortController().signal,
): Promise<ReceivedFile | Problem> {
  const { size } = upload;
  if (size !== presigned.size) return { problem: wrongSizeMessage(size, presigned.size) };
  const facts = await ports.inspector.inspect(upload);
  if (facts === 'damaged') return { problem: DAMAGED_UPLOAD };
  if (facts?.type !== presigned.type) return { problem: wrongTypeMessage(presigned.type) };
  const sha256 = await hashUpload(ports, workspaceId, upload, presigned.terms, signal);
  if (!isAsDeclared(presigned.terms, sha256)) return { problem: WRONG_HASH_UPLOAD };
  // A workspace that is being removed isn't found; the removal takes the item, too.
  const workspace = (await ports.workspaces.find(workspaceId)) ?? { stripLocation: null };
  const object = await stripLocation(ports, workspace, facts.type, upload, {
    stage: async (work) => {
      // The upload's own slot, if it had one, was given back long ago.
      const releaseSlot = await ports.shares.take('hashes', workspaceId, signal);
      return work().finally(releaseSlot);
    },
    signal,
  });
  if (object === null) return { problem: wrongTypeMessage(presigned.type) };
  // The declared hash is that of the bytes that were sent; the item gets that of the bytes that are stored.
  return { object, content: { ...facts, size, sha256: object === upload ? sha256 : object.sha256 } };
}

/** False when the lease is lost. */
function reject(ports: ConfirmPorts, item: TemporaryMedia, { owner }: UploadLease, problem: string): Promise<boolean> {
  const now = ports.clock.now();
  return ports.presign.finish(item.id, owner, (current) => ({ item: fail(current, problem, now), cover: null }));
}

/** False when the lease is lost. */
function keep(
  ports: ConfirmPorts,
  item: TemporaryMedia,
  { terms }: AnnouncedUpload,
  lease: UploadLease,
  file: ReceivedFile,
  signal?: AbortSignal,
): Promise<boolean> {
  const making: PendingItem<TemporaryMedia> = {
    item,
    // Earlier confirmations aren't counted, so assume that one was interrupted.
    mayHaveLeftOver: true,
    onDuplicate: terms.onDuplicate,
    renewLease: () => lease.renew(),
    finish: (decide) => ports.presign.finish(item.id, lease.owner, decide),
  };
  return makeActive(ports, making, file, signal);
}
