import type { KeptTables } from '../store/tables.ts';

type PlanOf<Row> = {
  readonly key: readonly [keyof Row & string, ...(keyof Row & string)[]];
  readonly within?: keyof Row & string;
  readonly local?: readonly string[];
};

/**
 * Every table, in the order of copying: a table comes after those that its rows refer to, by a key or in a trigger. A
 * new table joins by a line here; the types ask for it. Counts are left out, as the target's triggers make its own; so
 * is what is true of one database only.
 */
const PLANS: { readonly [Name in keyof KeptTables]: PlanOf<KeptTables[Name]> } = {
  library: { key: ['id'] },
  workspaces: { key: ['id'] },
  folders: { key: ['id'], within: 'parent_id' },
  media: { key: ['id'], within: 'cover_of', local: ['search_number'] },
  media_tags: { key: ['media_id', 'position'] },
  imports: { key: ['media_id'] },
  presigned_uploads: { key: ['media_id'] },
  covers_due: { key: ['media_id'] },
  fits: { key: ['media_id'] },
  duplicates: { key: ['id'] },
  previews: { key: ['media_id'] },
  profiles: { key: ['id'] },
  posts: { key: ['id'] },
  post_media: { key: ['post_id', 'position'] },
  engagement_days: { key: ['profile_id', 'day'] },
  tokens: { key: ['id'] },
  token_workspaces: { key: ['token_id', 'position'] },
  repeats: { key: ['id'] },
  sessions: { key: ['id'] },
  sign_in_codes: { key: ['id'] },
};

/** What copying needs to know of a table; it takes the columns from the rows. */
export interface CopiedTable {
  readonly name: string;
  /** The primary key: UUIDs and whole numbers, which every database sorts alike. */
  readonly key: readonly string[];
  /** The column that names another row of the table by its key, which has to be copied first. */
  readonly within?: string;
  /** Columns that only one of the databases has. */
  readonly local?: readonly string[];
}

export const COPIED_TABLES: readonly CopiedTable[] = Object.entries(PLANS).map(([name, plan]) => ({ name, ...plan }));
