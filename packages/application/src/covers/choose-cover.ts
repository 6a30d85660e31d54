import {
  type ActiveMedia,
  COVER_FAILURES,
  type CoverChoice,
  type CoverErrors,
  type ExpectedVersions,
  endedEarly,
  type FieldErrors,
  invalid,
  type MediaChange,
  type MediaItem,
  type MediaWithCover,
  notFound,
  Refusal,
  refuseCoverChoice,
  requireVersion,
  versionOfMedia,
} from '@postshelf/domain';
import { removeReplaced } from '../media/delete-media.ts';
import { changeErrors, refuseCover, updateMedia } from '../media/update-media.ts';
import { chunksOf, sourceOf } from '../objects/read-stored.ts';
import type { Ports, Settings, Shared } from '../ports.ts';
import { coverItem, type StagedImage, stageFrame } from './stage-cover.ts';

type ChoosePorts = Pick<
  Ports,
  'folders' | 'media' | 'frames' | 'storage' | 'trash' | 'previewStorage' | 'ids' | 'clock'
> &
  Pick<Settings, 'isPublic'> &
  Pick<Shared, 'shares'>;

export interface ChoiceOptions {
  readonly expected?: ExpectedVersions | undefined;
  readonly signal: AbortSignal;
  /** Called for an object that can't yet be hidden from readers of a public bucket. */
  readonly onLeftOver: (fullName: string, cause: unknown) => void;
}

/** Returns errors in the choice of a cover, by field. */
export async function coverErrors(
  { media }: Pick<Ports, 'media'>,
  item: MediaItem,
  choice: CoverChoice | undefined,
): Promise<CoverErrors & FieldErrors> {
  if (choice === undefined) return {};
  return refuseCoverChoice(item, choice, await findImage({ media }, item, choice));
}

/**
 * Changes an item and gives it the chosen cover; both happen or neither. The cover is a separate object, so the image
 * or video that it was made from may be deleted. An identical cover isn't replaced.
 *
 * @throws Refusal as {@link updateMedia}, and `invalid` on `cover` and its fields; `busy`
 */
export async function updateWithCover(
  ports: ChoosePorts,
  media: MediaWithCover,
  change: MediaChange,
  choice: CoverChoice,
  { expected, signal, onLeftOver }: ChoiceOptions,
): Promise<MediaWithCover> {
  const { item } = media;
  refuseCover(item);
  requireVersion(versionOfMedia(media), expected);
  const errors = {
    ...(await changeErrors(ports, item, { name: change.name, folder_id: change.folderId })),
    ...(await coverErrors(ports, item, choice)),
  };
  if (Object.keys(errors).length > 0) throw new Refusal({ code: 'invalid', errors });
  const made = await stageChoice(ports, item as ActiveMedia, choice, signal);
  try {
    if (made.content.sha256 !== null && made.content.sha256 === media.cover?.content.sha256) {
      return Object.keys(change).length === 0 ? media : await updateMedia(ports, item, change, expected);
    }
    return await replaceCover(ports, item as ActiveMedia, change, made, { expected, signal, onLeftOver });
  } finally {
    await made.object.discard();
  }
}

async function replaceCover(
  ports: ChoosePorts,
  video: ActiveMedia,
  change: MediaChange,
  { object, content }: StagedImage,
  { expected, onLeftOver }: ChoiceOptions,
): Promise<MediaWithCover> {
  const cover = coverItem(ports, video, content, ports.clock.now());
  await object.publish(cover.fullName);
  try {
    const updated = await updateMedia(ports, video, { ...change, cover }, expected);
    if (updated.replacedCover) await removeReplaced(ports, updated.replacedCover, updated.item.updatedAt, onLeftOver);
    return updated;
  } catch (error) {
    // If the database became unavailable, or after a fault, the row may have been committed. The object is then left to
    // garbage collection.
    if (error instanceof Refusal && error.problem.code !== 'unavailable') await ports.storage.purge(cover.fullName);
    throw error;
  }
}

async function stageChoice(
  ports: ChoosePorts,
  video: ActiveMedia,
  choice: CoverChoice,
  signal: AbortSignal,
): Promise<StagedImage> {
  const release = await ports.shares.take('covers', video.workspaceId, signal);
  try {
    return await ('at' in choice
      ? takeFrame(ports, video, choice.at, signal)
      : copyImage(ports, video, choice, signal));
  } finally {
    release();
  }
}

async function takeFrame(
  { frames, storage }: ChoosePorts,
  video: ActiveMedia,
  at: number,
  signal: AbortSignal,
): Promise<StagedImage> {
  const stored = await storage.open(video.fullName);
  if (stored === null) throw notFound();
  const frame = await frames.take(sourceOf(stored), at, signal);
  if (signal.aborted) throw endedEarly(signal);
  if (frame === 'no_tool') throw invalid('cover', COVER_FAILURES.no_tool);
  if (frame === null) throw invalid('cover.at', COVER_FAILURES.unreadable);
  return stageFrame({ storage }, frame, signal);
}

/** Stages a copy in the image's own format. */
async function copyImage(
  ports: ChoosePorts,
  video: ActiveMedia,
  choice: CoverChoice,
  signal: AbortSignal,
): Promise<StagedImage> {
  const image = await findImage(ports, video, choice);
  const stored = image?.status === 'active' ? await ports.storage.open(image.fullName) : null;
  if (image?.status !== 'active' || stored === null) throw invalid('cover.media_content_id', COVER_FAILURES.gone);
  const object = await ports.storage.stage(chunksOf(stored), { limit: stored.size, signal });
  return { object, content: { ...image.content, sha256: object.sha256 } };
}

async function findImage(
  { media }: Pick<Ports, 'media'>,
  { workspaceId }: MediaItem,
  choice: CoverChoice,
): Promise<MediaItem | null> {
  if ('at' in choice) return null;
  const found = (await media.find(choice.mediaContentId))?.item ?? null;
  return found?.workspaceId === workspaceId ? found : null;
}
