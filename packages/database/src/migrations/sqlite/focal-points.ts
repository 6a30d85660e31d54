import { type Kysely, sql } from 'kysely';

/**
 * The most important point of an image or a video: fractions of its width and height. Both columns are set, or neither.
 */
const FOCAL_POINTS = ['media', 'trashed_media'].flatMap((table) => [
  `alter table ${table} add column focus_x real check (focus_x between 0 and 1)`,
  `alter table ${table} add column focus_y real
    check (focus_y between 0 and 1) check ((focus_x is null) = (focus_y is null))`,
]);

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of FOCAL_POINTS) await sql.raw(statement).execute(db);
}
