import {
  type AnnouncedType,
  convertibleType,
  type Defect,
  isAnnounced,
  isAsDeclared,
  isConvertedType,
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
import { convertImage } from '../conversion/convert-image.ts';
import type { Ports, Settings, Shared } from '../ports.ts';
import type { ArrivedFile } from './receive.ts';

/** A file that may become an item. */
export interface InspectedFile {
  readonly object: StagedObject;
  readonly content: MediaContent;
  /**
   * The hash of the bytes that were sent; null if it isn't known. The staged bytes may have another hash, because the
   * image may have been converted, or coordinates removed.
   */
  readonly sentHash: string | null;
}

export const isInspected = (file: InspectedFile | Defect | 'empty'): file is InspectedFile =>
  typeof file === 'object' && 'object' in file;

export type InspectPorts = Pick<Ports, 'inspector' | 'storage' | 'location' | 'converter'> &
  Pick<Settings, 'stripsLocation'> &
  Pick<Shared, 'shares'>;

export interface InspectOptions {
  /** The required type; by default every supported type is accepted. */
  readonly type?: AnnouncedType;
  /** The client's declarations about the bytes that it sent. */
  readonly terms?: UploadTerms;
  /**
   * Returns the hash of an object, and computes it if necessary. Default: the hash that the storage computed, if any.
   */
  readonly hash?: (object: StagedObject) => Promise<string | null>;
  /**
   * Runs `work`, which stages bytes that the service made from the client's bytes. Takes a slot for it unless the
   * caller already holds one.
   */
  readonly stage?: (work: () => Promise<StagedObject>) => Promise<StagedObject>;
  readonly signal?: AbortSignal;
}

/**
 * The second stage of an upload: finds the type and the properties of a file that has arrived. Before that, it converts
 * an image of a type that isn't stored, and removes coordinates if the workspace wants that. Both steps stage new
 * bytes. Discards the given object unless the result contains it.
 *
 * @param workspace null if the service made the bytes itself: they are then neither converted nor changed
 * @returns the inspected file, or why it isn't accepted
 * @throws Refusal `busy` or `unavailable` if an image can't be converted at the moment
 */
export async function inspect(
  ports: InspectPorts,
  workspace: Pick<Workspace, 'id' | 'stripLocation'> | null,
  { object, facts: found }: ArrivedFile,
  { type, terms, hash = async () => object.sha256, ...options }: InspectOptions = {},
): Promise<InspectedFile | Defect> {
  const objects = new Set([object]);
  try {
    const verdict = found ?? (await ports.inspector.inspect(object));
    const refused: Defect = isSound(verdict) ? 'wrong_type' : (verdict ?? 'wrong_type');
    const cameAs = isSound(verdict) ? verdict.type : workspace && ports.converter && convertibleType(verdict);
    if (cameAs === null || (type !== undefined && !isAnnounced(type, cameAs))) return refused;
    const sentHash = await hash(object);
    if (terms && !isAsDeclared(terms, sentHash)) return 'wrong_hash';
    const image = isSound(verdict)
      ? { object, facts: verdict }
      : workspace && isConvertedType(cameAs) && (await convertImage(ports, workspace.id, cameAs, object, options));
    if (!image) return 'undecodable';
    objects.add(image.object);
    const kept =
      workspace === null
        ? image.object
        : await stripLocation(ports, workspace, image.facts.type, image.object, options);
    if (kept === null) return 'wrong_type';
    objects.add(kept);
    const stored = kept === image.object ? image.facts : await inspectStripped(ports, kept, image.facts);
    const details =
      stored.details && isConvertedType(cameAs) ? { ...stored.details, convertedFrom: cameAs } : stored.details;
    // The declared hash is that of the sent bytes, but the item gets the hash of the stored bytes.
    const sha256 = kept === object ? sentHash : kept.sha256;
    objects.delete(kept);
    return { object: kept, content: { ...stored, details, size: kept.size, sha256 }, sentHash };
  } finally {
    await Promise.all([...objects].map((one) => one.discard()));
  }
}

/**
 * Removes coordinates from the staged bytes, if the workspace or the service wants that. Returns `object` itself if
 * there is nothing to remove. Otherwise new bytes are staged, because no storage changes bytes in place. The caller
 * discards both objects.
 *
 * @returns null if the file is so complex that the search was given up, which doesn't happen with genuine files
 */
async function stripLocation(
  ports: Pick<Ports, 'location' | 'storage'> & Pick<Settings, 'stripsLocation'>,
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

/**
 * Inspects an image again after metadata was removed. The orientation may have been in a removed block; then the
 * orientation in another block counts, or the image has none.
 */
async function inspectStripped(
  { inspector }: Pick<Ports, 'inspector'>,
  object: StagedObject,
  before: MediaFacts,
): Promise<MediaFacts> {
  if (kindOf(before.type) !== 'image') return before;
  const facts = await inspector.inspect(object);
  return isSound(facts) ? facts : before;
}
