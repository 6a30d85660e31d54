import { OUTCOME_LIFETIME, Refusal } from '@postshelf/domain';
import { tryToSettle } from '../presign/confirm-upload.ts';
import type { ConfirmPorts } from '../presign/settle-upload.ts';
import { reapInBatches } from '../reap-in-batches.ts';

/** Milliseconds that the request with the last byte has for settling the file. */
const SETTLING_TIME = 60_000;

const BATCH = 100;

/**
 * Settles files that are complete, but whose service was killed, and forgets what became of old ones. Unfinished uploads are
 * removed like presigned ones, a day after their last byte.
 */
export async function reapResumable(ports: ConfirmPorts, signal: AbortSignal | undefined): Promise<void> {
  const { resumable, media, clock } = ports;
  for (const id of await resumable.complete(clock.now() - SETTLING_TIME, BATCH)) {
    if (signal?.aborted) return;
    const found = await media.find(id);
    if (found?.item.status === 'temporary') await tryToSettle(ports, found.item, signal).catch(unlessBusy);
  }
  await reapInBatches((limit) => resumable.prune(clock.now() - OUTCOME_LIFETIME, limit), signal);
}

/** The next collection tries it again. */
function unlessBusy(cause: unknown): void {
  if (!(cause instanceof Refusal)) throw cause;
}
