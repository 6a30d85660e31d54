import { fail, type ImportJob, type Lease, type ProcessingMedia } from '@postshelf/domain';
import type { Ports, Shared } from '../ports.ts';
import { makeActive, type PendingItem } from '../uploads/finish.ts';
import type { ReceivedFile } from '../uploads/inspect.ts';

type FinishPorts = Pick<
  Ports,
  'media' | 'duplicates' | 'imports' | 'storage' | 'trash' | 'digest' | 'covers' | 'clock' | 'ids'
> &
  Pick<Shared, 'shares'>;

/**
 * Makes the item of a received import `active`: cover, objects, and then row and job in one transaction. Does nothing
 * when the item was deleted or the lease lost.
 *
 * @returns whether the item is active now; `full`: it has failed
 */
export async function finishImport(
  ports: FinishPorts,
  job: ImportJob,
  currentLease: () => Lease,
  file: ReceivedFile,
  signal?: AbortSignal,
): Promise<boolean | 'full'> {
  const found = await ports.media.find(job.mediaId);
  if (found?.item.status !== 'processing') return false;
  const { owner } = currentLease();
  const making: PendingItem<ProcessingMedia> = {
    item: found.item,
    mayHaveLeftOver: job.claims > 1,
    onDuplicate: job.terms.onDuplicate,
    renewLease: () => isHeld(ports, job, currentLease()),
    finish: (decide) => ports.imports.finish(job.mediaId, owner, decide),
  };
  return makeActive(ports, making, file, signal);
}

/**
 * Renews the lease right before the first write that another owner would notice. One that expired before the database
 * answered is lost.
 */
async function isHeld(
  ports: Pick<Ports, 'imports' | 'clock'>,
  { mediaId }: Pick<ImportJob, 'mediaId'>,
  lease: Lease,
): Promise<boolean> {
  const held = await ports.imports.renew([mediaId], lease);
  return held.has(mediaId) && ports.clock.now() < lease.until;
}

/** False when the item was deleted or the lease lost. */
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
