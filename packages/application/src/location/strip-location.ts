import { type MediaType, patched, type StagedObject, stripsLocation, type Workspace } from '@postshelf/domain';
import type { Ports, Settings } from '../ports.ts';

export type StripPorts = Pick<Ports, 'storage' | 'location'> & Pick<Settings, 'stripsLocation'>;

export interface StripOptions {
  /** Runs the staging, within a slot if the caller holds none yet. */
  readonly stage?: (work: () => Promise<StagedObject>) => Promise<StagedObject>;
  readonly signal?: AbortSignal;
}

/**
 * The staged bytes without coordinates, if the workspace or the service wants that: `object` itself if it has none,
 * else newly staged bytes, as no storage changes bytes in place. The caller discards both.
 *
 * @returns null if searching the file takes more work than any honest one does
 */
export async function stripLocation(
  ports: StripPorts,
  workspace: Pick<Workspace, 'stripLocation'>,
  type: MediaType,
  object: StagedObject,
  { stage = (work) => work(), signal }: StripOptions = {},
): Promise<StagedObject | null> {
  if (!stripsLocation(workspace, ports.stripsLocation)) return object;
  const patches = await ports.location.find(type, object);
  if (patches === null || patches.length === 0) return patches && object;
  const options = { limit: object.size, ...(signal && { signal }) };
  return stage(() => ports.storage.stage(patched(object, patches), options));
}
