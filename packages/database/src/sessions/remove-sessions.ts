import type { Uuid } from '@postshelf/domain';
import type { SelectQueryBuilder } from 'kysely';
import { blocksOf } from '../store/blocks.ts';
import type { Queries } from '../store/dialect.ts';
import type { Tables } from '../store/tables.ts';

type People = SelectQueryBuilder<Tables, 'people', { id: Uuid }>;

export async function removeSessionsOf(queries: Queries, tokenId: Uuid): Promise<void> {
  await queries.deleteFrom('sessions').where('token_id', '=', tokenId).execute();
  await queries.deleteFrom('sign_in_codes').where('token_id', '=', tokenId).execute();
}

/** Removes people from sessions. A session that acted only for these people is deleted. */
export async function removeSessionsOfPeople(queries: Queries, select: (people: People) => People): Promise<void> {
  const people = select(queries.selectFrom('people').select('id'));
  const left = await queries
    .deleteFrom('session_people')
    .where('person_id', 'in', people)
    .returning('session_id')
    .execute();
  for (const ids of blocksOf(left.map((row) => row.session_id))) {
    await queries
      .deleteFrom('sessions')
      .where('id', 'in', ids)
      .where('id', 'not in', queries.selectFrom('session_people').select('session_id').where('session_id', 'in', ids))
      .execute();
  }
}

export async function removeAllSessions(queries: Queries): Promise<void> {
  await queries.deleteFrom('sessions').execute();
  await queries.deleteFrom('sign_in_codes').execute();
  await queries.updateTable('people').set({ invitation_hash: null, invitation_expires_at: null }).execute();
}
