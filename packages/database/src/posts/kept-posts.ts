import type { ExpressionBuilder } from 'kysely';
import type { Tables } from '../store/tables.ts';

/** Not of a profile that is being removed, of which there are few at a time. */
export const isKept = (eb: ExpressionBuilder<Tables, 'posts'>) =>
  eb('profile_id', 'not in', eb.selectFrom('profiles').select('profiles.id').where('removal_begun_at', '>', 0));
