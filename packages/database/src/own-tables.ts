import type { Tables } from './repositories/tables.ts';

const TABLES: { readonly [Name in keyof Tables]: true } = {
  library: true,
  workspaces: true,
  folders: true,
  media: true,
  imports: true,
  presigned_uploads: true,
  profiles: true,
  posts: true,
  post_media: true,
  engagement_days: true,
  tokens: true,
  token_workspaces: true,
  media_counts: true,
  post_counts: true,
  object_checks: true,
};

/** Every table that the repositories and triggers write. */
export const OWN_TABLES: readonly string[] = Object.keys(TABLES);
