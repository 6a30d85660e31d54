import {
  type AnnouncedUpload,
  fail,
  PIECES_MISSING,
  type StagedObject,
  type TemporaryMedia,
  uploadDefectMessage,
  wrongSizeMessage,
} from '@postshelf/domain';
import type { Ports, Shared } from '../ports.ts';
import { makeActive, type PendingItem } from '../uploads/finish.ts';
import { hashUpload } from '../uploads/hash-upload.ts';
import { type InspectPorts, inspectStaged, isReceived, type ReceivedFile } from '../uploads/inspect.ts';
import { takeResumable } from './take-resumable.ts';
import type { UploadLease } from './upload-lease.ts';

export type ConfirmPorts = Pick<
  Ports,
  | 'workspaces'
  | 'presign'
  | 'presignStorage'
  | 'resumable'
  | 'resumableStorage'
  | 'deletions'
  | 'trash'
  | 'media'
  | 'duplicates'
  | 'covers'
  | 'digest'
  | 'clock'
  | 'ids'
> &
  Pick<Shared, 'shares'> &
  InspectPorts;

/**
 * Checks the file that was uploaded for an item, under the caller's lease. The item becomes `active` if the bytes are
 * as announced, an alias if they duplicate one that is to be returned, else `failed`. `nothing` if no file was sent,
 * `lost` if the lease was.
 *
 * @param signal aborted when the caller has gone: the cover is then made later
 */
export async function settleUpload(
  ports: ConfirmPorts,
  item: TemporaryMedia,
  lease: UploadLease,
  signal?: AbortSignal,
): Promise<'settled' | 'nothing' | 'lost'> {
  const presigned = await ports.presign.find(item.id);
  if (!presigned) return 'settled';
  const upload = presigned.type === null ? await takeResumable(ports, item) : await ports.presignStorage.take(item.id);
  if (!upload) return 'nothing';
  if (upload === 'missing') return (await reject(ports, item, lease, PIECES_MISSING)) ? 'settled' : 'lost';
  let isOurs = false;
  let read: ReceivedFile | Problem | null = null;
  try {
    read = await readUpload(ports, item, presigned, upload, presigned.type === null ? undefined : signal);
    if ('problem' in read) isOurs = await reject(ports, item, lease, read.problem);
    else isOurs = await keep(ports, item, presigned, lease, read, signal);
  } finally {
    if (read && 'object' in read) await read.object.discard();
    await upload.discard();
  }
  if (!isOurs) return 'lost';
  // No longer needed, whether published or refused. After a kill garbage collection finds it.
  await ports.deletions.record([{ id: item.id, fullName: null, deletedAt: ports.clock.now() }]);
  return 'settled';
}

interface Problem {
  readonly problem: string;
}

async function readUpload(
  ports: ConfirmPorts,
  { workspaceId }: TemporaryMedia,
  presigned: AnnouncedUpload,
  upload: StagedObject,
  signal: AbortSignal = new AbortController().signal,
): Promise<ReceivedFile | Problem> {
  const { size } = upload;
  if (size !== presigned.size) return { problem: wrongSizeMessage(size, presigned.size) };
  const { type, terms } = presigned;
  // A workspace that is being removed isn't found.
  const workspace = (await ports.workspaces.find(workspaceId)) ?? { stripLocation: null };
  const file = await inspectStaged(ports, workspace, upload, {
    ...(type && { type }),
    terms,
    hash: () => hashUpload(ports, workspaceId, upload, terms, signal),
    stage: async (work) => {
      // The upload's own slot was given back long ago.
      const releaseSlot = await ports.shares.take('hashes', workspaceId, signal);
      return work().finally(releaseSlot);
    },
    signal,
  });
  return isReceived(file) ? file : { problem: uploadDefectMessage(file, type) };
}

/** False when the lease is lost. */
function reject(ports: ConfirmPorts, item: TemporaryMedia, { owner }: UploadLease, problem: string): Promise<boolean> {
  const now = ports.clock.now();
  return ports.presign.finish(item.id, owner, (current) => ({ item: fail(current, problem, now), cover: null }));
}

/** False when the lease is lost. */
async function keep(
  ports: ConfirmPorts,
  item: TemporaryMedia,
  { terms }: AnnouncedUpload,
  lease: UploadLease,
  file: ReceivedFile,
  signal?: AbortSignal,
): Promise<boolean> {
  const making: PendingItem<TemporaryMedia> = {
    item,
    // Earlier confirmations aren't counted.
    mayHaveLeftOver: true,
    onDuplicate: terms.onDuplicate,
    renewLease: () => lease.renew(),
    finish: (decide) => ports.presign.finish(item.id, lease.owner, decide),
  };
  return (await makeActive(ports, making, file, signal)) !== false;
}
