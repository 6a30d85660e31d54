import { type CoverJob, isUsable, retryCoverAfter } from '@postshelf/domain';
import { stageCover } from '../covers/stage-cover.ts';
import { sourceOf } from '../objects/read-stored.ts';
import type { Ports, Shared } from '../ports.ts';

type DuePorts = Pick<Ports, 'coverQueue' | 'covers' | 'storage' | 'media' | 'clock' | 'ids'> & Pick<Shared, 'shares'>;

/**
 * Milliseconds after a claim for which nobody else takes the job. Should two make a cover after all, only one is
 * stored.
 */
const CLAIM_TIME = 5 * 60_000;

const BUSY_TIME = 1000;

/** Milliseconds that a cover waits for a moment without requests, which a busy server may not have. */
const LONGEST_PAUSE = 60_000;

/**
 * `none`: no cover can be made; `gone`: its video was deleted; `later`: no slot was free, or the worker stops; `fault`:
 * an error, after which the job is tried again.
 */
export interface DueCover {
  readonly job: CoverJob;
  readonly outcome: 'made' | 'none' | 'gone' | 'later' | 'fault';
  readonly cause?: unknown;
}

export interface DueCoverOptions {
  /** Stops the current job and puts it back. */
  readonly signal: AbortSignal;
  /** Whether no request is being answered. */
  readonly isQuiet: () => boolean;
  readonly onEnd: (ended: DueCover) => void;
}

/**
 * The fifth stage, long after the answer: covers that found no slot. Previews follow by previews/make-due-previews.ts. Both
 * find their work in rows that were recorded with the item, so that a kill loses none.
 *
 * Makes covers that are due at the lowest priority, until none is left or no slot is free; workspaces take turns. While
 * it isn't quiet, only those that have waited for {@link LONGEST_PAUSE}.
 */
export async function makeDueCovers(ports: DuePorts, { signal, isQuiet, onEnd }: DueCoverOptions): Promise<void> {
  while (!signal.aborted) {
    const now = ports.clock.now();
    const freeBefore = isQuiet() ? now : now - LONGEST_PAUSE;
    const [job] = await ports.coverQueue.claim({ now: freeBefore, until: now + CLAIM_TIME, limit: 1 });
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
  const cover = await stageCover(ports, found.item, sourceOf(stored), signal, 'lowest');
  if (cover === 'due') return 'later';
  if (cover === null) return end(ports, job);
  const { item, object } = cover;
  try {
    await object.publish(item.fullName);
    if (await ports.coverQueue.finish(job.mediaId, item)) return 'made';
    await ports.storage.remove(item.fullName);
    return 'gone';
  } finally {
    await object.discard();
  }
}

async function end({ coverQueue }: DuePorts, { mediaId }: CoverJob): Promise<'none' | 'gone'> {
  return (await coverQueue.finish(mediaId, null)) ? 'none' : 'gone';
}
