import type { ImportJob, Lease, Uuid } from '@postshelf/domain';
import type { ReleaseSlot } from '../fair-share/slot-pool.ts';
import type { Ports, Shared } from '../ports.ts';

/** As many are read of each workspace that has some due. */
const MAX_CLAIMED = 10;

export interface ClaimedImport {
  readonly job: ImportJob;
  /** Gives back the slot that the job was claimed with. */
  readonly releaseSlot: ReleaseSlot;
}

/**
 * Claims jobs that are due, each with a slot of its workspace.
 *
 * @param perWorkspace leased jobs of one workspace, in all processes together
 */
export async function claimImports(
  { imports, shares, clock }: Pick<Ports, 'imports' | 'clock'> & Pick<Shared, 'shares'>,
  lease: Lease,
  perWorkspace: number,
): Promise<readonly ClaimedImport[]> {
  const without = shares.workspacesAtLimit('imports');
  if (without === null) return [];
  const slots = new Map<Uuid, ReleaseSlot>();
  const admits = ({ mediaId, workspaceId }: Pick<ImportJob, 'mediaId' | 'workspaceId'>): boolean => {
    const slot = slots.get(mediaId) ?? shares.tryTake('imports', workspaceId);
    if (slot) slots.set(mediaId, slot);
    return slot !== null;
  };
  try {
    const jobs = await imports.claim({ now: clock.now(), lease, limit: MAX_CLAIMED, perWorkspace, without, admits });
    return jobs.flatMap((job) => {
      const releaseSlot = slots.get(job.mediaId);
      slots.delete(job.mediaId);
      return releaseSlot ? [{ job, releaseSlot }] : [];
    });
  } finally {
    for (const releaseSlot of slots.values()) releaseSlot();
  }
}
