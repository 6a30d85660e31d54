import type { KeptTables } from '../store/tables.ts';

type PlanOf<Row> = {
  readonly key: readonly [keyof Row & string, ...(keyof Row & string)[]];
  readonly within?: keyof Row & string;
  readonly local?: readonly string[];
};

/**
 * Every copied table. A table comes after those that its rows refer to, by a foreign key or in a trigger. Counts are
 * not copied, because the target's triggers compute them. Rows that only concern one deployment are not copied either.
 *
 * Pending deliveries continue at the target, because the source neither creates nor finishes deliveries once the
 * library has been moved. A delivery whose attempt was running is tried again at the target when its lease expires.
 * Positions in the outbox (`fan_out`, `told_after`) and streams (`listened_until`) are not copied, because the target
 * has its own.
 */
const PLANS: { readonly [Name in keyof KeptTables]: PlanOf<KeptTables[Name]> } = {
  library: { key: ['id'] },
  workspaces: { key: ['id'], local: ['listened_until'] },
  folders: { key: ['id'], within: 'parent_id' },
  media: { key: ['id'], within: 'cover_of', local: ['search_number'] },
  media_tags: { key: ['media_id', 'position'] },
  trashed_media: { key: ['id'] },
  trash_emptied: { key: ['workspace_id'] },
  presigned_uploads: { key: ['media_id'] },
  duplicates: { key: ['id'] },
  previews: { key: ['media_id'] },
  profiles: { key: ['id'] },
  posts: { key: ['id'] },
  post_media: { key: ['post_id', 'position'] },
  calendars: { key: ['id'] },
  tokens: { key: ['id'] },
  token_workspaces: { key: ['token_id', 'position'] },
  people: { key: ['id'] },
  repeats: { key: ['id'] },
  sessions: { key: ['id'] },
  session_people: { key: ['session_id', 'person_id'] },
  sign_in_codes: { key: ['id'] },
  deletions: { key: ['id', 'is_upload'] },
  webhooks: { key: ['id'], local: ['told_after'] },
  webhook_deliveries: { key: ['id'] },
  audit: { key: ['id'] },
  removals: { key: ['workspace_id'] },
  jobs: { key: ['kind', 'subject_id'] },
  job_turns: { key: ['kind', 'workspace_id'] },
};

/** A table to copy. Its columns are taken from the rows. */
export interface CopiedTable {
  readonly name: string;
  /** The columns of the key: UUIDs and integers, which both databases sort in the same order. */
  readonly key: readonly string[];
  /** A column that references another row of the same table, which is copied first. */
  readonly within?: string;
  /** Columns that exist in only one of the databases. */
  readonly local?: readonly string[];
}

export const COPIED_TABLES: readonly CopiedTable[] = Object.entries(PLANS).map(([name, plan]) => ({ name, ...plan }));
