import {
  type ActiveMedia,
  activate,
  fail,
  finalName,
  fullNameOf,
  type ImportJob,
  type Lease,
  type ProcessingMedia,
} from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import type { ReceivedFile } from '../storing/inspect-staged.ts';
import { stageCover } from '../storing/stage-cover.ts';

type FinishPorts = Pick<Ports, 'media' | 'imports' | 'storage' | 'covers' | 'clock' | 'ids'>;

/**
 * Makes the item of a received import `active`: cover, objects, and then row and job in one transaction. Does nothing
 * when the item was deleted or the lease lost meanwhile: whoever holds it now begins anew.
 *
 * @returns whether the item is active now
 */
export async function finishImport(
  ports: FinishPorts,
  job: ImportJob,
  currentLease: () => Lease,
  { object, content }: ReceivedFile,
): Promise<boolean> {
  const found = await ports.media.find(job.mediaId);
  if (found?.item.status !== 'processing') return false;
  const fullName = fullNameOf(job.workspaceId, job.mediaId, finalName(found.item.name, content.type));
  const become = (item: ProcessingMedia): ActiveMedia =>
    activate(item, { name: finalName(item.name, content.type), fullName, content }, ports.clock.now());
  const cover = await stageCover(ports, become(found.item), object);
  try {
    const lease = currentLease();
    if (!(await isHeld(ports, job, lease))) return false;
    // A worker that was killed between publishing and finishing left an object under the very same name.
    if (job.claims > 1) await ports.storage.remove(fullName);
    await object.publish(fullName);
    if (cover) await cover.object.publish(cover.item.fullName);
    const done = await ports.imports.finish(job.mediaId, lease.owner, (item) => ({
      item: become(item),
      cover: cover?.item ?? null,
    }));
    if (!done) await removeUnheld(ports, job, fullName, cover?.item.fullName);
    return done;
  } finally {
    await cover?.object.discard();
  }
}

/**
 * Asked right before the first write that another owner of the job could feel. A lease that ended before the answer came
 * counts as lost: somebody may have done the whole job meanwhile.
 */
async function isHeld(
  ports: Pick<Ports, 'imports' | 'clock'>,
  { mediaId }: Pick<ImportJob, 'mediaId'>,
  lease: Lease,
): Promise<boolean> {
  const held = await ports.imports.renew([mediaId], lease);
  return held.has(mediaId) && ports.clock.now() < lease.until;
}

/**
 * Nobody else ever has the cover's name. The video's is the next owner's too, so it goes only when the item is gone;
 * what stays is overwritten by that owner or found by garbage collection.
 */
async function removeUnheld(
  ports: Pick<Ports, 'media' | 'storage'>,
  job: ImportJob,
  fullName: string,
  coverName: string | undefined,
): Promise<void> {
  if (coverName) await ports.storage.remove(coverName);
  if (!(await ports.media.find(job.mediaId))) await ports.storage.remove(fullName);
}

/** Ends an import that won't succeed. False when the item was deleted or the lease lost meanwhile. */
export function failImport(
  ports: Pick<Ports, 'imports' | 'clock'>,
  job: Pick<ImportJob, 'mediaId'>,
  owner: string,
  message: string,
): Promise<boolean> {
  return ports.imports.finish(job.mediaId, owner, (item) => ({
    item: fail(item, message, ports.clock.now()),
    cover: null,
  }));
}

/**
 * Removes what a worker that was killed between publishing and finishing left under the item's own full name, before the
 * import is failed: a failed item has no object, and garbage collection would take that one for the item's.
 */
export async function removeLeftOver(
  ports: Pick<Ports, 'media' | 'imports' | 'storage' | 'clock'>,
  job: ImportJob,
  lease: Lease,
): Promise<void> {
  const found = job.claims > 1 ? await ports.media.find(job.mediaId) : null;
  if (found && (await isHeld(ports, job, lease))) await ports.storage.remove(found.item.fullName);
}
