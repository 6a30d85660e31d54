import { OUTCOME_LIFETIME, Refusal, type Uuid } from '@postshelf/domain';
import { tryToSettle } from '../presign/confirm-upload.ts';
import type { ConfirmPorts } from '../presign/settle-upload.ts';
import { pruneInBatches } from '../prune-in-batches.ts';

const BATCH = 100;

/**
 * Milliseconds after the last byte before a complete file is settled here. The request that sent the last byte usually
 * settles it within that time.
 */
const SETTLING_TIME = 60_000;

/**
 * Settles complete files that a killed process left unsettled, and prunes old results. Unfinished uploads are removed
 * like presigned uploads, a day after their last byte.
 *
 * A file that can't be settled doesn't prevent others from being settled. The next garbage collection tries again.
 *
 * @returns the faults, without refusals
 */
export async function settleCompleteUploads(
  ports: ConfirmPorts,
  signal: AbortSignal | undefined,
): Promise<readonly unknown[]> {
  const { resumable, media, clock } = ports;
  const faults: unknown[] = [];
  for await (const id of completeUploads(ports, clock.now() - SETTLING_TIME)) {
    if (signal?.aborted) return faults;
    const found = await media.find(id);
    if (found?.item.status !== 'temporary') continue;
    await tryToSettle(ports, found.item, signal).catch((cause: unknown) => {
      if (!(cause instanceof Refusal)) faults.push(cause);
    });
  }
  await pruneInBatches((limit) => resumable.prune(clock.now() - OUTCOME_LIFETIME, limit), signal);
  return faults;
}

async function* completeUploads({ resumable }: Pick<ConfirmPorts, 'resumable'>, before: number): AsyncGenerator<Uuid> {
  let after: Uuid | null = null;
  do {
    const batch: readonly Uuid[] = await resumable.complete(before, after, BATCH);
    yield* batch;
    after = batch.length < BATCH ? null : (batch.at(-1) ?? null);
  } while (after !== null);
}
