import {
  type Defect,
  isAsDeclared,
  isSound,
  kindOf,
  type MediaContent,
  type MediaFacts,
  type MediaType,
  patched,
  type StagedObject,
  stripsLocation,
  type UploadTerms,
  type Workspace,
} from '@postshelf/domain';
import type { Ports, Settings } from '../ports.ts';
import type { ArrivedFile } from './receive.ts';

/** A file that may become an item. */
export interface InspectedFile {
  readonly object: StagedObject;
  readonly content: MediaContent;
  /** Of the bytes that were sent, from which coordinates may be removed since; null if it isn't known. */
  readonly sentHash: string | null;
}

export const isInspected = (file: InspectedFile | Defect | 'empty'): file is InspectedFile =>
  typeof file === 'object' && 'object' in file;

export type InspectPorts = Pick<Ports, 'inspector' | 'storage' | 'location'> & Pick<Settings, 'stripsLocation'>;

export interface InspectOptions {
  /** By default all six are accepted. */
  readonly type?: MediaType;
  /** What the client declared about the bytes that it sent. */
  readonly terms?: UploadTerms;
  /** Of bytes that the storage didn't hash. */
  readonly hash?: (object: StagedObject) => Promise<string | null>;
  /** Runs the staging of bytes without coordinates, within a slot if the caller holds none yet. */
  readonly stage?: (work: () => Promise<StagedObject>) => Promise<StagedObject>;
  readonly signal?: AbortSignal;
}

/**
 * The second stage: the type and the properties of a file that has arrived, without coordinates if the workspace wants that; the
 * result then has other staged bytes. Discards the object unless it is in the result.
 *
 * @param workspace null: the service made the bytes itself, and they stay as they are
 * @returns why the file isn't taken
 */
export async function inspect(
  ports: InspectPorts,
  workspace: Pick<Workspace, 'stripLocation'> | null,
  { object, facts: found }: ArrivedFile,
  { type, terms, hash = async () => object.sha256, ...options }: InspectOptions = {},
): Promise<InspectedFile | Defect> {
  let kept: StagedObject | null = null;
  try {
    const facts = found ?? (await ports.inspector.inspect(object));
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

/**
 * The staged bytes without coordinates, if the workspace or the service wants that: `object` itself if it has none,
 * else newly staged bytes, as no storage changes bytes in place. The caller discards both.
 *
 * @returns null if searching the file takes more work than any honest one does
 */
async function stripLocation(
  ports: InspectPorts,
  workspace: Pick<Workspace, 'stripLocation'>,
  type: MediaType,
  object: StagedObject,
  { stage = (work) => work(), signal }: Pick<InspectOptions, 'stage' | 'signal'>,
): Promise<StagedObject | null> {
  if (!stripsLocation(workspace, ports.stripsLocation)) return object;
  const patches = await ports.location.find(type, object);
  if (patches === null || patches.length === 0) return patches && object;
  const options = { limit: object.size, ...(signal && { signal }) };
  return stage(() => ports.storage.stage(patched(object, patches), options));
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
