import type { Post, PostMetrics, Uuid } from '@postshelf/domain';
import type { PostRow } from '../repositories/tables.ts';

export const postToRow = (post: Post): PostRow => ({
  id: post.id,
  workspace_id: post.workspaceId,
  profile_id: post.profileId,
  external_id: post.externalId,
  published_at: post.publishedAt,
  text: post.text,
  ...metricsOf(post.metrics),
  created_at: post.createdAt,
  updated_at: post.updatedAt,
});

/** @param mediaIds of the post, in order: they are rows of their own */
export const postFromRow = (row: PostRow, mediaIds: readonly Uuid[]): Post => ({
  id: row.id,
  workspaceId: row.workspace_id,
  profileId: row.profile_id,
  externalId: row.external_id,
  publishedAt: row.published_at,
  text: row.text,
  mediaIds,
  metrics: metricsOf(row),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const metricsOf = ({ impressions, likes, comments, shares, saves, clicks }: PostMetrics): PostMetrics => ({
  impressions,
  likes,
  comments,
  shares,
  saves,
  clicks,
});
