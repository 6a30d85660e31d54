import type { KeptTables } from '../store/tables.ts';

type PlanOf<Row> = {
  readonly key: readonly [keyof Row & string, ...(keyof Row & string)[]];
  readonly within?: keyof Row & string;
  readonly local?: readonly string[];
};

/**
 * Every copied table, after those that its rows refer to by a foreign key or in a trigger. Left out: counts, which the
 * target's triggers fill, and what concerns one deployment only.
 *
 * Deliveries that wait go on at the target: the source makes and finishes none once it was moved. One under way is tried
 * again there when its lease ends. Places in the outbox (`fan_out`, `told_after`) and streams (`listened_until`)
 * stay, as the target has its own.
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

/** Its columns are taken from the rows. */
export interface CopiedTable {
  readonly name: string;
  /** UUIDs and integers, which both databases sort in the same order. */
  readonly key: readonly string[];
  /** References another row of the same table, to be copied first. */
  readonly within?: string;
  /** They exist in one of the databases only. */
  readonly local?: readonly string[];
}

export const COPIED_TABLES: readonly CopiedTable[] = Object.entries(PLANS).map(([name, plan]) => ({ name, ...plan }));
