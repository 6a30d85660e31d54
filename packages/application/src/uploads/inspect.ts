import {
  type Defect,
  isAsDeclared,
  isSound,
  kindOf,
  type MediaContent,
  type MediaFacts,
  type MediaType,
  type StagedObject,
  type UploadTerms,
  type Workspace,
} from '@postshelf/domain';
import { type StripOptions, type StripPorts, stripLocation } from '../location/strip-location.ts';
import type { Ports } from '../ports.ts';

export interface ReceivedFile {
  readonly object: StagedObject;
  readonly content: MediaContent;
  /** Of the bytes that were sent, from which coordinates may be removed since; null if it isn't known. */
  readonly sentHash: string | null;
}

export const isReceived = (file: ReceivedFile | Defect | 'empty'): file is ReceivedFile =>
  typeof file === 'object' && 'object' in file;

export type InspectPorts = Pick<Ports, 'inspector'> & StripPorts;

export interface InspectOptions extends StripOptions {
  /** By default all six are accepted. */
  readonly type?: MediaType;
  /** What the client declared about the bytes that it sent. */
  readonly terms?: UploadTerms;
  /** Of bytes that the storage didn't hash. */
  readonly hash?: (object: StagedObject) => Promise<string | null>;
}

/**
 * The type and the properties of staged bytes, without coordinates if the workspace wants that; the result then has
 * other staged bytes. Discards `object` unless it is in the result.
 *
 * @param workspace null: the service made the bytes itself, and they stay as they are
 */
export async function inspectStaged(
  ports: InspectPorts,
  workspace: Pick<Workspace, 'stripLocation'> | null,
  object: StagedObject,
  { type, terms, hash = async () => object.sha256, ...options }: InspectOptions = {},
): Promise<ReceivedFile | Defect> {
  let kept: StagedObject | null = null;
  try {
    const facts = await ports.inspector.inspect(object);
    if (!isSound(facts)) return facts ?? 'wrong_type';
    if (type !== undefined && facts.type !== type) return 'wrong_type';
    const sha256 = await hash(object);
    if (terms && !isAsDeclared(terms, sha256)) return 'wrong_hash';
    kept = workspace === null ? object : await stripLocation(ports, workspace, facts.type, object, options);
    if (kept === null) return 'wrong_type';
    const stored = kept === object ? facts : await inspectStripped(ports, kept, facts);
    // The declared hash is that of the sent bytes; the item gets that of the stored ones.
    const content = { ...stored, size: kept.size, sha256: kept === object ? sha256 : kept.sha256 };
    return { object: kept, content, sentHash: sha256 };
  } finally {
    if (kept !== object) await object.discard();
  }
}

/** A block of metadata that was removed as a whole may have had the orientation: another one counts then, or none. */
async function inspectStripped(
  { inspector }: InspectPorts,
  object: StagedObject,
  before: MediaFacts,
): Promise<MediaFacts> {
  if (kindOf(before.type) !== 'image') return before;
  const facts = await inspector.inspect(object);
  return isSound(facts) ? facts : before;
}
