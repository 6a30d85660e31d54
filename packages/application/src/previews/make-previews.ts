import { type ActiveMedia, type MadePreviews, type PreviewSize, Refusal } from '@postshelf/domain';
import type { ReleaseSlot } from '../fair-share/slot-pool.ts';
import { sourceOf } from '../objects/read-stored.ts';
import type { Ports } from '../ports.ts';

export type MakePreviewPorts = Pick<Ports, 'media' | 'storage' | 'previews' | 'previewStorage' | 'previewMaker'>;

/**
 * `failed`: the image can't be decoded, which is recorded; `gone`: its item was deleted; `missing`: its object doesn't
 * exist; `unkept`: the previews weren't stored, because the storage is low on space.
 */
type PreviewOutcome = 'made' | 'failed' | 'gone' | 'missing' | 'unkept';

export type PreviewResult<Outcome = PreviewOutcome> = {
  readonly outcome: Outcome;
  readonly files: readonly Uint8Array[];
};

interface MakeOptions {
  /** Whether these are all the previews that the image needs, so that no previews are due afterwards. */
  readonly areAll: boolean;
  readonly takeSlot: () => Promise<ReleaseSlot>;
  readonly signal: AbortSignal;
}

/**
 * Makes previews of an image, and stores them with their properties. Two processes may make the same previews. If a
 * process is killed, the previews that it hasn't recorded are made again, or purged as garbage.
 *
 * @throws Refusal `busy`; `unavailable` if the storage can't be used, or no image can be decoded at the moment
 */
export async function makePreviews(
  ports: MakePreviewPorts,
  item: ActiveMedia,
  sizes: readonly PreviewSize[],
  { areAll, takeSlot, signal }: MakeOptions,
): Promise<PreviewResult> {
  const releaseSlot = await takeSlot();
  try {
    const made = await decodeImage(ports, item, sizes, signal);
    if (made === 'missing') return await noObject(ports, item);
    return await keepPreviews(ports, item, sizes, made, areAll);
  } catch (cause) {
    if (!signal.aborted && !(await itemStillExists(ports, item))) return noFiles('gone');
    throw cause;
  } finally {
    releaseSlot();
  }
}

/** Returns the outcome for an item whose object wasn't found. */
export const noObject = async (ports: MakePreviewPorts, item: ActiveMedia): Promise<PreviewResult> =>
  noFiles((await itemStillExists(ports, item)) ? 'missing' : 'gone');

/**
 * Stores previews with their properties, or records that none can be made.
 *
 * @param areAll whether `sizes` are all the sizes that the image needs, so that no previews are due afterwards
 */
export const keepPreviews = (
  ports: MakePreviewPorts,
  item: ActiveMedia,
  sizes: readonly PreviewSize[],
  made: MadePreviews | null,
  areAll: boolean,
): Promise<PreviewResult> => (made === null ? recordFailure(ports, item) : keep(ports, item, sizes, made, areAll));

const noFiles = (outcome: PreviewOutcome): PreviewResult => ({ outcome, files: [] });

/**
 * Makes previews of an image's object without storing them. Returns null if the image can't be decoded.
 *
 * @throws Refusal as {@link makePreviews}
 */
export async function decodeImage(
  { storage, previewMaker }: Pick<Ports, 'storage' | 'previewMaker'>,
  { fullName, content: { type, width, height } }: ActiveMedia,
  sizes: readonly PreviewSize[],
  signal: AbortSignal,
): Promise<MadePreviews | 'missing' | null> {
  const object = await storage.open(fullName);
  if (object === null) return 'missing';
  try {
    return await previewMaker.make({ bytes: sourceOf(object), type, width, height }, sizes, signal);
  } catch (cause) {
    if (cause instanceof Refusal || signal.aborted) throw cause;
    throw new Refusal({ code: 'unavailable', message: 'Previews cannot be made right now.' }, { cause });
  }
}

/** Records that an image has no previews, and purges earlier previews. */
async function recordFailure(
  { previews, previewStorage }: MakePreviewPorts,
  item: ActiveMedia,
): Promise<PreviewResult> {
  const isStored = await previews.store(item.id, { hasFailed: true, placeholder: null });
  await previewStorage.purge(item);
  return noFiles(isStored ? 'failed' : 'gone');
}

async function keep(
  { previews, previewStorage }: MakePreviewPorts,
  item: ActiveMedia,
  sizes: readonly PreviewSize[],
  { files, placeholder }: MadePreviews,
  areAll: boolean,
): Promise<PreviewResult> {
  const { workspaceId, id } = item;
  try {
    for (const [index, { width }] of sizes.entries()) {
      const bytes = files[index];
      if (bytes) await previewStorage.put({ workspaceId, id, width }, bytes);
    }
  } catch (error) {
    // The caller still gets the preview; it is made again for the next caller.
    if (error instanceof Refusal && error.problem.code === 'storage_low') return { outcome: 'unkept', files };
    throw error;
  }
  const isStored = areAll
    ? await previews.store(id, { hasFailed: false, placeholder })
    : placeholder === null || (await previews.storePlaceholder(id, placeholder));
  // The item is looked up after the previews are stored. If it is deleted later, the deletion also purges the
  // previews.
  if (isStored && (placeholder !== null || areAll || (await previews.existingItems([id])).has(id))) {
    return { outcome: 'made', files };
  }
  await previewStorage.purge({ workspaceId, id });
  return noFiles('gone');
}

const itemStillExists = async ({ previews }: MakePreviewPorts, { id }: ActiveMedia): Promise<boolean> =>
  (await previews.existingItems([id])).has(id);
