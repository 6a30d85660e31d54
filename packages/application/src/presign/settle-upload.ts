import {
  type AnnouncedUpload,
  PIECES_MISSING,
  type StagedObject,
  type TemporaryMedia,
  type UploadTerms,
  type Uuid,
  uploadDefectMessage,
  wrongSizeMessage,
} from '@postshelf/domain';
import { piecesOf } from '../objects/read-stored.ts';
import type { Ports, Shared } from '../ports.ts';
import { type InspectedFile, type InspectPorts, inspect, isInspected } from '../uploads/inspect.ts';
import { type MakeActivePorts, makeActive } from '../uploads/make-items.ts';
import { recordFailure } from '../uploads/record.ts';
import type { PendingUpload } from '../uploads/store.ts';
import type { UploadLease } from './upload-lease.ts';

export type ConfirmPorts = MakeActivePorts &
  InspectPorts &
  Pick<Ports, 'workspaces' | 'presign' | 'presignStorage' | 'resumable' | 'resumableStorage' | 'deletions'>;

/**
 * Checks the file that was uploaded for an item, under the caller's lease. The item becomes `active` if the bytes are
 * as announced. If another item has the same bytes and the client asked for duplicates to be replaced by the existing
 * item, it becomes an alias of that item instead. Otherwise it becomes `failed`. Returns `nothing` if no file was sent,
 * `lost` if the lease was lost.
 *
 * @param signal aborted when the caller has disconnected: the cover is then made later
 */
export async function settleUpload(
  ports: ConfirmPorts,
  item: TemporaryMedia,
  lease: UploadLease,
  signal?: AbortSignal,
): Promise<'settled' | 'nothing' | 'lost'> {
  const announced = await ports.presign.find(item.id);
  if (!announced) return 'settled';
  const upload = await takeUpload(ports, item, announced);
  if (!upload) return 'nothing';
  const { kind, terms } = announced;
  const pending = {
    kind,
    item,
    terms,
    record: (decide) => ports.presign.finish(item.id, lease.owner, decide),
    renewLease: () => lease.renew(),
  } satisfies PendingUpload;
  if (upload === 'missing') return (await recordFailure(ports, pending, PIECES_MISSING)) ? 'settled' : 'lost';
  let file: InspectedFile | string | null = null;
  try {
    file = await inspectUpload(ports, item, announced, upload, kind === 'resumable' ? undefined : signal);
    const isOurs =
      typeof file === 'string'
        ? await recordFailure(ports, pending, file)
        : (await makeActive(ports, pending, file, signal)) !== 'lost';
    if (!isOurs) return 'lost';
  } finally {
    if (file !== null && typeof file !== 'string') await file.object.discard();
    await upload.discard();
  }
  // The upload is no longer needed, whether it was published or refused. If the process is killed before this, garbage
  // collection finds the upload.
  await ports.deletions.record([{ id: item.id, fullName: null, deletedAt: ports.clock.now() }]);
  return 'settled';
}

/** Returns the bytes that were sent; `missing` if some pieces are missing; null if not all bytes have arrived. */
const takeUpload = (ports: ConfirmPorts, item: TemporaryMedia, { kind }: AnnouncedUpload) =>
  kind === 'resumable' ? takeResumable(ports, item) : ports.presignStorage.take(item.id);

/** @returns the inspected file, or a sentence that says why it isn't accepted */
async function inspectUpload(
  ports: ConfirmPorts,
  { workspaceId }: TemporaryMedia,
  announced: AnnouncedUpload,
  upload: StagedObject,
  signal: AbortSignal = new AbortController().signal,
): Promise<InspectedFile | string> {
  const { size } = upload;
  if (size !== announced.size) return wrongSizeMessage(size, announced.size);
  const { terms } = announced;
  const type = announced.kind === 'presigned' ? { type: announced.type } : {};
  // `find` returns null if the workspace is being deleted.
  const workspace = (await ports.workspaces.find(workspaceId)) ?? { id: workspaceId, stripLocation: null };
  const file = await inspect(
    ports,
    workspace,
    { object: upload, facts: null },
    {
      ...type,
      terms,
      hash: () => hashUpload(ports, workspaceId, upload, terms, signal),
      stage: async (work) => {
        // No slot is held here: a slot that was taken to receive the upload was released long ago.
        const releaseSlot = await ports.shares.take('hashes', workspaceId, signal);
        return work().finally(releaseSlot);
      },
      signal,
    },
  );
  return isInspected(file) ? file : uploadDefectMessage(file, type.type);
}

/** Whether the id belongs to a resumable upload whose last byte hasn't arrived. */
export async function isUnfinished({ resumable }: Pick<Ports, 'resumable'>, id: Uuid): Promise<boolean> {
  const upload = await resumable.find(id);
  return upload !== null && upload.received < upload.size;
}

/**
 * Returns the whole file with its hash. The file is read to compute the hash, so this takes a slot. Returns null if the
 * file hasn't arrived, or if its upload was lost when the database was moved.
 */
async function takeResumable(
  { resumable, resumableStorage, shares }: Pick<Ports, 'resumable' | 'resumableStorage'> & Pick<Shared, 'shares'>,
  { id, workspaceId }: TemporaryMedia,
): Promise<StagedObject | 'missing' | null> {
  const upload = await resumable.find(id);
  if (!upload || upload.received < upload.size) return null;
  // This continues after the client has disconnected: otherwise the file might stay unsettled until garbage collection.
  const releaseSlot = await shares.take('hashes', workspaceId, new AbortController().signal);
  try {
    return (await resumableStorage.take(id, await resumable.pieces(id))) ?? 'missing';
  } finally {
    releaseSlot();
  }
}

/**
 * Returns the hash of an uploaded file; null if it is unknown and not needed. A file that was sent straight to the
 * storage has no hash yet. If `terms` require the hash, the file is read, which takes a slot.
 *
 * @throws Refusal `busy` if too many files are being read
 */
async function hashUpload(
  { shares, digest }: Pick<Ports, 'digest'> & Pick<Shared, 'shares'>,
  workspaceId: Uuid,
  upload: StagedObject,
  terms: UploadTerms,
  signal: AbortSignal,
): Promise<string | null> {
  const isWanted = terms.sha256 !== null || terms.onDuplicate === 'return';
  if (upload.sha256 !== null || !isWanted) return upload.sha256;
  const releaseSlot = await shares.take('hashes', workspaceId, signal);
  try {
    const { sha256 } = await digest(piecesOf(upload, signal));
    return sha256;
  } finally {
    releaseSlot();
  }
}
