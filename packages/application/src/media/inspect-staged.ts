import type { MediaContent, StagedObject, Workspace } from '@postshelf/domain';
import { type StripPorts, stripLocation } from '../location/strip-location.ts';
import type { Ports } from '../ports.ts';

/** Staged bytes of a received file, and what they were found to be. */
export interface ReceivedFile {
  readonly object: StagedObject;
  readonly content: MediaContent;
}

export type InspectPorts = Pick<Ports, 'inspector'> & StripPorts;

/**
 * Determines the type and the properties of staged bytes, and removes coordinates if the workspace wants that; the
 * result then has other staged bytes. Returns null if the bytes are none of the six types or don't parse, and `damaged`
 * if they are incomplete. Discards `object` unless it is in the result, also when reading it fails.
 *
 * @param signal as in `StageOptions`
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
