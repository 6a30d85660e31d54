import { type CoverJob, isUsable, retryCoverAfter } from '@postshelf/domain';
import { sourceOf } from '../objects/read-stored.ts';
import type { Ports, Shared } from '../ports.ts';
import { stageCover, stagedCover } from './stage-cover.ts';

type DuePorts = Pick<Ports, 'coverQueue' | 'covers' | 'storage' | 'media' | 'clock' | 'ids'> & Pick<Shared, 'shares'>;

/**
 * Milliseconds after a claim for which nobody else takes the job. Should two make a cover after all, only one is
 * stored.
 */
const CLAIM_TIME = 5 * 60_000;

const BUSY_TIME = 1000;

/**
 * `none`: no cover can be made; `gone`: its video was deleted; `later`: no slot was free, or the worker stops; `fault`:
 * an error, after which the job is tried again.
 */
export interface DueCover {
  readonly job: CoverJob;
  readonly outcome: 'made' | 'none' | 'gone' | 'later' | 'fault';
  readonly cause?: unknown;
}

/**
 * Makes covers that are due, until none is left or no slot is free; workspaces take turns.
 *
 * @param signal stops the current job and puts it back
 * @param onEnd called for each job
 */
export async function makeDueCovers(
  ports: DuePorts,
  signal: AbortSignal,
  onEnd: (ended: DueCover) => void,
): Promise<void> {
  while (!signal.aborted) {
    const now = ports.clock.now();
    const [job] = await ports.coverQueue.claim({ now, until: now + CLAIM_TIME, limit: 1 });
    if (job === undefined) return;
    const ended = await makeDueCover(ports, job, signal);
    onEnd({ job, ...ended });
    if (ended.outcome === 'later') return;
  }
}

async function makeDueCover(ports: DuePorts, job: CoverJob, signal: AbortSignal): Promise<Omit<DueCover, 'job'>> {
  const { coverQueue, clock } = ports;
  const { mediaId, claims } = job;
  const delay = retryCoverAfter(claims);
  if (delay === null) return { outcome: await end(ports, job) };
  try {
    const outcome = await tryToMake(ports, job, signal);
    if (outcome === 'later') await coverQueue.release(mediaId, { freeAt: clock.now() + BUSY_TIME, claims: claims - 1 });
    return { outcome };
  } catch (cause) {
    await coverQueue.release(mediaId, { freeAt: clock.now() + delay, claims });
    return { outcome: 'fault', cause };
  }
}

async function tryToMake(ports: DuePorts, job: CoverJob, signal: AbortSignal): Promise<DueCover['outcome']> {
  const found = await ports.media.find(job.mediaId);
  if (!found || !isUsable(found.item)) return 'gone';
  const stored = await ports.storage.open(found.item.fullName);
  if (!stored) throw new Error(`The object of the video ${job.mediaId} is missing.`);
  const cover = await stageCover(ports, found.item, sourceOf(stored), signal);
  if (cover === 'due') return 'later';
  const staged = stagedCover(cover);
  if (staged === null) return end(ports, job);
  try {
    await staged.object.publish(staged.item.fullName);
    if (await ports.coverQueue.finish(job.mediaId, staged.item)) return 'made';
    await ports.storage.remove(staged.item.fullName);
    return 'gone';
  } finally {
    await staged.object.discard();
  }
}

async function end({ coverQueue }: DuePorts, { mediaId }: CoverJob): Promise<'none' | 'gone'> {
  return (await coverQueue.finish(mediaId, null)) ? 'none' : 'gone';
}
