import { type IdempotencyCompletion, keptUnits, requestInProgress, type Uuid } from '@postshelf/domain';
import type { Queries } from '../store/dialect.ts';

/**
 * Stores the response to a request in the transaction that does the request's work. Call this last, so that the row is
 * locked only briefly.
 *
 * @throws Refusal `conflict` when the claim has another owner; the error rolls the work back
 */
export async function completeWithin(queries: Queries, completion: IdempotencyCompletion): Promise<void> {
  if (!(await storeAnswer(queries, completion))) throw requestInProgress();
}

export async function storeAnswer(
  queries: Queries,
  { claim: { id, callerId, owner }, answer, expiresAt }: IdempotencyCompletion,
): Promise<boolean> {
  // Positions add up the sizes of a token's answers, and this answer's size is known only now.
  const position = (await lastPosition(queries, callerId)) + keptUnits(answer.length);
  const { numUpdatedRows } = await queries
    .updateTable('repeats')
    .set({ answer, expires_at: expiresAt, position, lease_owner: null, lease_until: null })
    .where('id', '=', id)
    .where('lease_owner', '=', owner)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function lastPosition(queries: Queries, callerId: Uuid): Promise<number> {
  const row = await queries
    .selectFrom('repeats')
    .select('position')
    .where('token_id', '=', callerId)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.position ?? 0;
}
