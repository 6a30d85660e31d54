import type { MediaType } from '../media/types.ts';
import type { ByteSource } from '../objects/object-storage.ts';
import type { Workspace } from '../workspaces/workspace-repository.ts';
import type { Patch } from './patch.ts';

/** Finds coordinates in files. The bytes are untrusted, so memory and time are bounded. */
export interface LocationFinder {
  /**
   * Returns the patches that remove the coordinates (docs/decisions/10-location.md), in order, without overlaps.
   *
   * @returns null if finding the coordinates takes more work than any genuine file needs
   * @throws only errors that `source.read` throws
   */
  find(type: MediaType, source: ByteSource): Promise<readonly Patch[] | null>;
}

/** @param byDefault applies if the workspace has no setting */
export const stripsLocation = ({ stripLocation }: Pick<Workspace, 'stripLocation'>, byDefault: boolean): boolean =>
  stripLocation ?? byDefault;
