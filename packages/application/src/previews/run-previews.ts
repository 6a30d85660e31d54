import {
  type ActiveMedia,
  type ByteSource,
  type Job,
  kindOf,
  type PreviewOrder,
  type PreviewSize,
  previewSizes,
} from '@postshelf/domain';
import { done, faultOrOutage, type JobContext, type JobEnd, type JobHandler, later } from '../jobs/job-handler.ts';
import { sourceOf } from '../objects/read-stored.ts';
import type { Ports } from '../ports.ts';
import { keepPreviews, type MakePreviewPorts, noObject } from './make-previews.ts';

type PreviewJobPorts = MakePreviewPorts & Pick<Ports, 'previewMaker'>;

/** Milliseconds until previews are continued after requests have interrupted them. */
const DISTURBED_TIME = 1000;

/** Milliseconds until previews are made again after the storage had no space for them. */
const FULL_TIME = 60_000;

const NOTHING = { hasFailed: false, placeholder: null };

/**
 * Makes previews of new images before they are requested. One decoder process handles all images of a batch. If a
 * request arrives, the batch stops after the current image. Outcomes are those of `makePreviews`; `unkept` means that
 * the storage had no space.
 */
export const previewHandler = (ports: PreviewJobPorts): JobHandler<'preview'> => ({
  kind: 'preview',
  run: (jobs, context) => runPreviews(ports, jobs, context),
});

interface DueImage {
  readonly job: Job<'preview'>;
  readonly item: ActiveMedia;
  readonly sizes: readonly PreviewSize[];
}

async function runPreviews(
  ports: PreviewJobPorts,
  jobs: readonly Job<'preview'>[],
  context: JobContext,
): Promise<readonly JobEnd[]> {
  let isDisturbed = false;
  const isStillQuiet = (): boolean => {
    isDisturbed ||= !context.isQuiet();
    return !isDisturbed;
  };
  const ends = new Map<Job<'preview'>, JobEnd>();
  const images: DueImage[] = [];
  for (const job of jobs) {
    const image = await imageOf(ports, job);
    if ('next' in image) ends.set(job, image);
    else images.push(image);
  }
  await makeTogether(ports, images, context.signal, isStillQuiet, ends);
  // If one of the images crashed the decoder process, the remaining ones are made one at a time.
  for (const image of images.filter(({ job }) => !ends.has(job))) {
    if (isStillQuiet() && !context.signal.aborted) {
      await makeTogether(ports, [image], context.signal, isStillQuiet, ends);
    }
  }
  return jobs.map((job) => ends.get(job) ?? later(context.signal.aborted ? 0 : DISTURBED_TIME));
}

/** Returns the image of a job. If its item needs no previews, returns how the job ends instead. */
async function imageOf(ports: PreviewJobPorts, job: Job<'preview'>): Promise<DueImage | JobEnd> {
  const item = (await ports.media.find(job.subjectId))?.item;
  const isImage = item?.status === 'active' && kindOf(item.content.type) === 'image';
  const sizes = isImage ? previewSizes(item.content) : [];
  if (isImage && sizes.length > 0) return { job, item, sizes };
  const isStored = await ports.previews.store(job.subjectId, NOTHING);
  return done(isImage && isStored ? 'made' : 'gone');
}

/** Makes previews of images together. For each image whose outcome is known, adds to `ends` how its job ends. */
async function makeTogether(
  ports: PreviewJobPorts,
  images: readonly DueImage[],
  signal: AbortSignal,
  isQuiet: () => boolean,
  ends: Map<Job<'preview'>, JobEnd>,
): Promise<void> {
  const opening = images.map(({ item }) => openSource(ports, item));
  const opened: DueImage[] = [];
  const orders: PreviewOrder[] = [];
  for (const [index, source] of (await Promise.allSettled(opening)).entries()) {
    const image = images[index];
    if (!image) continue;
    const { job, item, sizes } = image;
    if (source.status === 'rejected') ends.set(job, await afterFault(ports, image, source.reason));
    else if (source.value === null) ends.set(job, await settle(ports, image, 'missing'));
    else {
      const { type, width, height } = item.content;
      orders.push({ source: { bytes: source.value, type, width, height }, sizes });
      opened.push(image);
    }
  }
  if (orders.length === 0) return;
  try {
    const made = await ports.previewMaker.makeAhead(orders, signal, isQuiet);
    for (const [index, image] of opened.entries()) {
      const previews = made[index] ?? null;
      if (previews !== 'undecided') ends.set(image.job, await settle(ports, image, previews));
    }
  } catch (cause) {
    for (const image of opened) ends.set(image.job, await afterFault(ports, image, cause));
  }
}

/** Returns a job's end after a failure. The failure isn't a fault if the item was deleted meanwhile. */
async function afterFault({ previews }: PreviewJobPorts, { job, item }: DueImage, cause: unknown): Promise<JobEnd> {
  return (await previews.existingItems([item.id])).size > 0 ? faultOrOutage(job, cause) : done('gone');
}

async function openSource({ storage }: PreviewJobPorts, { fullName }: ActiveMedia): Promise<ByteSource | null> {
  const object = await storage.open(fullName);
  return object && sourceOf(object);
}

/** Stores the previews of one image and returns its job's end, even if they can't be stored. */
async function settle(
  ports: PreviewJobPorts,
  image: DueImage,
  made: Parameters<typeof keepPreviews>[3] | 'missing',
): Promise<JobEnd> {
  const { item, sizes } = image;
  try {
    const { outcome } =
      made === 'missing' ? await noObject(ports, item) : await keepPreviews(ports, item, sizes, made, true);
    // `keep` ends the previews job. If the object is restored later, its previews are made on request.
    if (outcome === 'missing') await ports.previews.store(item.id, NOTHING);
    return outcome === 'unkept' ? { next: 'again', outcome, after: FULL_TIME } : done(outcome);
  } catch (cause) {
    return afterFault(ports, image, cause);
  }
}
