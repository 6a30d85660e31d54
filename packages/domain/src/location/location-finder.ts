import type { MediaType } from '../media/types.ts';
import type { ByteSource } from '../objects/object-storage.ts';
import type { Workspace } from '../workspaces/workspace-repository.ts';
import type { Patch } from './patch.ts';

/**
 * Port: finds the coordinates in a file of where it was taken. The bytes are untrusted: memory and time are bounded.
 */
export interface LocationFinder {
  /**
   * The patches that remove the coordinates from a valid file, within the scope of docs/decisions/033-location.md:
   * inside the file, in order, without overlaps; none if it has no coordinates. Pixels, streams and orientation stay as
   * they are. A patched file needs no further patches.
   *
   * @returns null if that takes more work than any genuine file needs
   * @throws only what `source.read` throws
   */
  find(type: MediaType, source: ByteSource): Promise<readonly Patch[] | null>;
}

/**
 * Whether coordinates are removed from a workspace's new files.
 *
 * @param byDefault used if the workspace has no setting
 */
export const stripsLocation = ({ stripLocation }: Pick<Workspace, 'stripLocation'>, byDefault: boolean): boolean =>
  stripLocation ?? byDefault;
