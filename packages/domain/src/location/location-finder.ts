import type { MediaType } from '../media/types.ts';
import type { ByteSource } from '../objects/object-storage.ts';
import type { Workspace } from '../workspaces/workspace-repository.ts';
import type { Patch } from './patch.ts';

/** Port: finds where a file says at which place it was taken. The bytes are an attacker's: bounded memory and time for any of them. */
export interface LocationFinder {
  /**
   * What to write over a sound file so that it no longer has coordinates, as far as docs/decisions/033-location.md goes:
   * patches inside the file, in order, none over another; none where it has no coordinates. What is seen stays as it is,
   * pixels, streams and orientation. A patched file needs no patches.
   *
   * @returns null when that takes more work than any honest file asks for
   * @throws only what `source.read` throws
   */
  find(type: MediaType, source: ByteSource): Promise<readonly Patch[] | null>;
}

/** Whether coordinates are taken out of a workspace's new files. @param byDefault what holds where a workspace doesn't say */
export const stripsLocation = ({ stripLocation }: Pick<Workspace, 'stripLocation'>, byDefault: boolean): boolean =>
  stripLocation ?? byDefault;
