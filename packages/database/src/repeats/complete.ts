import { isBeingAnswered, keptUnits, type RepeatCompletion, type Uuid } from '@postshelf/domain';
import type { Queries } from '../store/store.ts';

/**
 * Keeps the answer of a request within the transaction of its work. Done last, so that the row is locked for the
 * shortest time.
 *
 * @throws Refusal `conflict` when the claim has another owner, which undoes the work
 */
export async function completeWithin(queries: Queries, completion: RepeatCompletion): Promise<void> {
  if (!(await keepAnswer(queries, completion))) throw isBeingAnswered();
}

/** False when the claim has another owner. */
export async function keepAnswer(
  queries: Queries,
  { claim: { id, tokenId, owner }, answer, expiresAt }: RepeatCompletion,
): Promise<boolean> {
  // Its size is known only now: it moves behind all others by that much.
  const position = (await lastPosition(queries, tokenId)) + keptUnits(answer.length);
  const { numUpdatedRows } = await queries
    .updateTable('repeats')
    .set({ answer, expires_at: expiresAt, position, lease_owner: null, lease_until: null })
    .where('id', '=', id)
    .where('lease_owner', '=', owner)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The position of a token's last answer; 0 when it has none. */
export async function lastPosition(queries: Queries, tokenId: Uuid): Promise<number> {
  const row = await queries
    .selectFrom('repeats')
    .select('position')
    .where('token_id', '=', tokenId)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.position ?? 0;
}
