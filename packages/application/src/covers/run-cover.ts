import { isUsable, type Job } from '@postshelf/domain';
import {
  done,
  faultOrOutage,
  type JobContext,
  type JobEnd,
  type JobHandler,
  later,
  oneByOne,
} from '../jobs/job-handler.ts';
import { sourceOf } from '../objects/read-stored.ts';
import type { Ports, Shared } from '../ports.ts';
import { stageCover } from './stage-cover.ts';

type CoverJobPorts = Pick<Ports, 'covers' | 'storage' | 'media' | 'ids'> & Pick<Shared, 'shares'>;

/** Milliseconds until a slot is requested again. */
const BUSY_TIME = 1000;

/**
 * Makes covers, at the lowest priority, for videos that arrived when no slot was free. Outcomes: `made`, `none` (no
 * cover can be made), `gone` (its video was deleted).
 */
export const coverHandler = (ports: CoverJobPorts): JobHandler<'cover'> => ({
  kind: 'cover',
  // Each run publishes its cover under a name of its own, so that a run that failed needn't be counted.
  run: oneByOne((job, context) => runCover(ports, job, context).catch((cause) => faultOrOutage(job, cause))),
  giveUp: (job, context) => endWithout(ports, job, context),
});

async function runCover(ports: CoverJobPorts, job: Job<'cover'>, context: JobContext): Promise<JobEnd> {
  const { subjectId } = job;
  const found = await ports.media.find(subjectId);
  if (!found || !isUsable(found.item)) return endWithout(ports, job, context);
  const stored = await ports.storage.open(found.item.fullName);
  if (!stored) throw new Error(`The object of the video ${subjectId} is missing.`);
  const cover = await stageCover(ports, found.item, sourceOf(stored), context.signal, 'lowest');
  if (cover === 'due') return later(context.signal.aborted ? 0 : BUSY_TIME);
  if (cover === null) return endWithout(ports, job, context);
  const { item, object } = cover;
  try {
    await object.publish(item.fullName);
    if (await ports.media.finishCover(subjectId, context.owner, item)) return done('made');
    await ports.storage.purge(item.fullName);
    return done('gone');
  } finally {
    await object.discard();
  }
}

const endWithout = async (
  { media }: CoverJobPorts,
  { subjectId }: Job<'cover'>,
  { owner }: JobContext,
): Promise<JobEnd> => done((await media.finishCover(subjectId, owner, null)) ? 'none' : 'gone');
