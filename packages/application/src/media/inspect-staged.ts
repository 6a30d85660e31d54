import type { MediaContent, StagedObject, Workspace } from '@postshelf/domain';
import { type StripPorts, stripLocation } from '../location/strip-location.ts';
import type { Ports } from '../ports.ts';

/** Bytes that were received and read. */
export interface ReceivedFile {
  readonly object: StagedObject;
  readonly content: MediaContent;
}

export type InspectPorts = Pick<Ports, 'inspector'> & StripPorts;

/**
 * Determines the type and the properties of staged bytes, and takes coordinates out of them where the workspace wants that:
 * the result has other staged bytes then. null when they are none of the six types or don't parse, `damaged` when they
 * aren't all there. `object` is discarded unless it is in the result, also when reading it fails.
 *
 * @param signal as of `StageOptions`
 */
export async function inspectStaged(
  ports: InspectPorts,
  workspace: Pick<Workspace, 'stripLocation'>,
  object: StagedObject,
  signal?: AbortSignal,
): Promise<ReceivedFile | 'damaged' | null> {
  let kept: StagedObject | null = null;
  try {
    const facts = await ports.inspector.inspect(object);
    if (facts === null || facts === 'damaged') return facts;
    kept = await stripLocation(ports, workspace, facts.type, object, signal && { signal });
    return kept && { object: kept, content: { ...facts, size: kept.size, sha256: kept.sha256 } };
  } finally {
    if (kept !== object) await object.discard();
  }
}
